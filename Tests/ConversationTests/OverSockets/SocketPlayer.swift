import Foundation
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveTestSupport
import OrderedJSON
import Transducers

@testable import GroveServer

/// Plays a conversation to a real server over real sockets, and holds what comes back against
/// the golden file: line by line for each client, but for times, tokens and counters.
final class SocketPlayer {
    /// The kind of socket.
    enum Way: String, CaseIterable { case tcp, tls, unix, webSocket }

    private let script: Script
    private let name: String
    private let way: Way
    private let disk = ConversationDisk()
    private let folder: TemporaryFolder
    private var server: Server?
    private var clients: [String: LineClient] = [:]
    /// Clients that get lines which the file doesn't show.
    private var noisy: Set<String> = []
    /// Clients that must not be asked anything besides: half-closed, or within a line.
    private var reserved: Set<String> = []
    /// Clients whose last lines the file shows no answer to.
    private var unanswered: Set<String> = []
    /// The server's tokens and their ids for those of the file.
    private var tokens: [String: String] = [:]
    private var limits = ServerLimits()
    private var engineOptions = EngineOptions()

    init(_ conversation: Conversation, _ way: Way) throws {
        script = Script(conversation)
        name = conversation.name
        self.way = way
        folder = try TemporaryFolder()
    }

    /// Plays it as far as it can be played, and stops the server.
    func play() async throws {
        do {
            for step in script.steps[..<script.end(isOwner: way == .unix)] { try await play(step) }
            for name in clients.keys.sorted() where !reserved.contains(name) {
                try await expectNothingMore(name)
            }
        } catch {
            // What went wrong before is the news.
            try? await server?.stop(graceMilliseconds: 2_000)
            throw error
        }
        clients = [:]
        control = nil
        try await server?.stop(graceMilliseconds: 4_000)
    }

    private func play(_ step: Script.Step) async throws {
        switch step {
        case .send(let line):
            var text = String(decoding: line.bytes, as: UTF8.self)
            for (old, new) in sortedTokens {
                text = text.replacingOccurrences(of: old, with: new)
            }
            try await syncOthers(line.client)
            try await client(line.client).send(bytes: Array(text.utf8))
            unanswered.insert(line.client)
        case .directive(let words):
            try await syncOthers(nil)
            try await obey(words)
        case .expect(let name, let line):
            unanswered.remove(name)
            try await expect(line, name)
        case .end(let name):
            unanswered.remove(name)
            let more = try await client(name).readLineIfAny(milliseconds: 10_000)
            if let more { throw TestProblem("\(name)= the end was expected, \(more) came") }
            clients[name] = nil
        }
    }

    /// Lines of one client that get no answer are on their way; before another one continues, the
    /// server must have taken them. A client of the player's own sees to it: what it asks now is
    /// answered by the engine after them, the second time also if they were read last.
    private func syncOthers(_ name: String?) async throws {
        guard unanswered.contains(where: { $0 != name }) else { return }
        unanswered = unanswered.filter { $0 == name }
        let control: LineClient
        if let known = self.control {
            control = known
        } else {
            control = try await makeClient(readsGreeting: true)
            self.control = control
        }
        for _ in 0..<2 {
            try control.send(#"{"op":"definitions","id":"sync"}"#)
            while try !control.readLine().hasPrefix(#"{"id":"sync""#) {}
        }
    }

    private var control: LineClient?

    // MARK: Server and clients

    private func running() async throws -> Server {
        if let server { return server }
        var options = ServerOptions()
        options.listen = [.loopbackV4(port: 0), .unix(path: folder.path("s"))]
        if way == .tls {
            let certificates = try TestCertificates.shared.get()
            options.listenTLS = [.loopbackV4(port: 0)]
            options.tls.identities = [
                TLSIdentity(
                    certificate: certificates.certificate("server"),
                    key: certificates.key("server"))
            ]
        }
        options.node = "test"
        if way == .webSocket { options.web.addresses = [.init(.loopbackV4(port: 0))] }
        options.limits = limits
        options.engine = engineOptions
        for name in ["work", "undo", "http"] {
            // At work until it is cancelled: the file is cut off before one reports.
            let handler = EffectHandler(name) { _, _ in
                try await Task.sleep(for: .seconds(3_600))
                return .null
            }
            options.handlers.register(handler)
        }
        let disk = disk
        options.store = StoreSource(name: "conversation") {
            () throws(StoreOpenError) -> any Store in
            ConversationStore(disk)
        }
        let server = Server(
            options: options, catalogue: try conversationCatalogue(), log: Log.silent)
        try await server.start()
        // Requests that are sent together are one batch, however little time the server has.
        await server.engine.setIntake(microseconds: 10_000_000...10_000_000)
        self.server = server
        return server
    }

    private func makeClient(readsGreeting: Bool) async throws -> LineClient {
        let server = try await running()
        switch way {
        case .tcp:
            let port = await server.listeningAddress?.port ?? 0
            return try LineClient(port: port, readsGreeting: readsGreeting)
        case .tls:
            var options = TLSClientOptions()
            options.trust = .authorities(
                file: try TestCertificates.shared.get().certificate("ca"))
            let port = await server.listeningAddressesTLS.first?.port ?? 0
            return try LineClient(
                port: port, tls: TLSContext(client: options), readsGreeting: readsGreeting)
        case .webSocket:
            let port = await server.webAddresses.first?.split(separator: ":").last
            return try LineClient(
                webSocketPort: port.flatMap { UInt16($0) } ?? 0, readsGreeting: readsGreeting)
        case .unix: return try LineClient(path: folder.path("s"), readsGreeting: readsGreeting)
        }
    }

    private func client(_ name: String) async throws -> LineClient {
        if let known = clients[name] { return known }
        let client = try await makeClient(readsGreeting: true)
        clients[name] = client
        return client
    }

    // MARK: Comparing

    private func expect(_ expected: String, _ name: String) async throws {
        let client = try await client(name)
        while true {
            var actual = try client.readLine(milliseconds: 10_000)
            learnToken(expected, actual)
            for (old, new) in sortedTokens {
                actual = actual.replacingOccurrences(of: new, with: old)
            }
            if Self.bare(expected) == Self.bare(actual) { return }
            if noisy.contains(name) { continue }
            throw TestProblem("\(name)< \(actual)\nwhere the file has\n\(name)< \(expected)")
        }
    }

    private func expectNothingMore(_ name: String) async throws {
        let client = try await client(name)
        try client.send(#"{"op":"ping","id":"end"}"#)
        while true {
            guard let line = try client.readLineIfAny(milliseconds: 10_000) else {
                throw TestProblem("\(name) was closed, which the file doesn't say")
            }
            if line.hasPrefix(#"{"id":"end""#) { return }
            if noisy.contains(name) { continue }
            throw TestProblem("\(name) gets more than the file says: \(line)")
        }
    }

    /// The long ones first, since a token has its id within it.
    private var sortedTokens: [(String, String)] {
        tokens.sorted { $0.key.utf8.count > $1.key.utf8.count }.map { ($0.key, $0.value) }
    }

    private func learnToken(_ expected: String, _ actual: String) {
        let pattern = /"(?:token|token_id)":"([^"]+)"/
        for (old, new) in zip(expected.matches(of: pattern), actual.matches(of: pattern)) {
            tokens[String(old.1)] = String(new.1)
        }
    }

    /// The line without what differs from run to run.
    private static func bare(_ line: String) -> String {
        if line.contains(#""engine_requests""#) { return "counters" }
        let times =
            /"(at|asked|time|updated|since|due|due_ms|stalled_ms|made|expires)":("[^"]*"|\d+)/
        let names = /"(session|token|hash)":"[^"]*"/
        return line.replacing(times) { "\"\($0.1)\":…" }.replacing(names) { "\"\($0.1)\":…" }
            // Over a Unix socket, the user that runs the server is its owner.
            .replacingOccurrences(of: #""principal":"owner""#, with: #""principal":"anonymous""#)
            .replacing(/until \d[^"]*Z/) { _ in "until …" }
            .replacing(/"from":"[^"]*"/) { _ in #""from":…"# }
            .replacing(/"last_used":"[^"]*",?/) { _ in "" }
    }

    // MARK: Directives

    private func obey(_ words: [String]) async throws {
        let rest = words.dropFirst()
        let name = rest.first.flatMap { $0.count == 1 && $0 != "{" ? $0 : nil } ?? ""
        switch words[0] {
        case "limits": try setLimits(rest)
        case "owner":
            _ = try await running()
            clients[rest.first ?? ""] = try LineClient(path: folder.path("s"), readsGreeting: true)
        case "connect": clients[rest.first ?? ""] = try await makeClient(readsGreeting: false)
        case "half-close":
            let line = rest.drop { !$0.hasPrefix("{") }.joined(separator: " ")
            let client = try await client(name)
            if !line.isEmpty { try client.send(line) }
            client.shutdownWrite()
            reserved.insert(name)
        case "hang-up": clients[name] = nil
        case "disk": try disk.obey(rest)
        case "drain":
            let milliseconds = Int64(rest.first ?? "") ?? 0
            await server?.io?.drain(milliseconds: milliseconds)
        case "finish": try await server?.stop(graceMilliseconds: 4_000)
        case "send":
            let bytes = try RawBytes.read(rest.drop { !$0.hasPrefix("\"") }.joined(separator: " "))
            try await client(name).send(bytes: bytes)
            if bytes.last == 10 { reserved.remove(name) } else { reserved.insert(name) }
        case "repeat":
            let line = rest.dropFirst().joined(separator: " ")
            noisy.insert("")
            for number in 1...(Int(rest.first ?? "") ?? 1) {
                try await client("").send(line.replacingOccurrences(of: "%", with: "\(number)"))
            }
        default: throw TestProblem("\(self.name): what is ! \(words[0])?")
        }
    }

    private func setLimits(_ words: ArraySlice<String>) throws {
        for word in words {
            let parts = word.split(separator: "=").map(String.init)
            guard let value = parts.last.flatMap({ Int($0) }) else {
                throw TestProblem("\(name): a number is missing")
            }
            switch parts[0] {
            case "max_line": limits.lineBytesMax = value
            case "max_inflight": limits.inflightMax = value
            case "max_pending": limits.pendingBytesMax = value
            case "commit_queue": engineOptions.queueRequestsMax = value
            default: throw TestProblem("\(name): what limit is \(word)?")
            }
        }
    }
}
