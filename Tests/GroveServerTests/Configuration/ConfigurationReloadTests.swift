import Foundation
import Glibc
import GroveEngine
import GroveNetwork
import GroveTestSupport
import Logging
import OrderedJSON
import Synchronization
import Testing
import Transducers

@testable import GroveServer

/// The configuration file of a running server, which a test changes.
private struct ChangingFile {
    let folder: TemporaryFolder
    var path: String { folder.path("grove.json") }
    var source: ConfigurationSource {
        ConfigurationSource(
            file: path, flags: ["listen": "127.0.0.1:0", "data": ":memory:"])
    }

    init(_ text: String) throws {
        folder = try TemporaryFolder()
        try write(text)
    }

    func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    }
}

/// A machine that makes a request with the handler `http` and keeps the reason of its failure.
private enum Caller: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {
        var reason = ""
    }

    enum Event: Codable, Sendable {
        case call(String)
        case answered(JSONValue)
        case failed(String)
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .call(let url):
            return .perform(
                "http", id: "call", argument: ["url": url], then: "answered",
                retry: RetryPolicy(attemptsMax: 1))
        case .answered: state.reason = "none"
        case .failed(let reason): state.reason = reason
        }
        return nil
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? { .failed("\(failure.error)") }
}

/// The log lines of a server.
private final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    func logger(_ configuration: ServerConfiguration) -> Logger {
        Logger(label: "test") { _ in
            LineLogHandler(level: configuration.logLevel, format: .json) { line in
                self.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }

    /// Returns the members of the last line with this message.
    func last(_ message: String) -> JSONObject? {
        lines.withLock { $0 }.reversed().lazy
            .compactMap { try? JSONValue(parsing: Array($0.utf8)).object }
            .first { $0["message"]?.string?.hasPrefix(message) == true }
    }
}

extension OverSockets {
    @Suite("Reloading", .timeLimit(.minutes(1)))
    struct ConfigurationReloadTests {
        /// Runs `body` with a server that `file` has configured.
        private func with(
            _ file: ChangingFile, _ log: LogLines,
            _ body: (Server, SocketAddress) async throws -> Void
        ) async throws {
            let configuration = try ServerConfiguration.load(file.source)
            let server = Server(
                options: configuration.options,
                catalogue: try Catalogue([
                    Definition(Caller.self, named: "caller", version: "1", handlers: ["http"])
                ]),
                log: log.logger(configuration))
            try await server.start()
            await server.configure(configuration, from: file.source)
            let address = try #require(await server.listeningAddress)
            try await body(server, address)
            try await server.stop(graceMilliseconds: 2_000)
        }

        @Test func `a change is applied, logged, and holds for later connections`() async throws {
            let file = try ChangingFile(#"{"max-line":1000,"heartbeat-ms":5000}"#)
            let log = LogLines()
            try await with(file, log) { server, address in
                let before = try RawClient(address)
                try file.write(
                    #"{"max-line":2000,"heartbeat-ms":5000,"max-inflight":7,"grace-ms":900}"#)
                _ = await server.reload()
                let after = try RawClient(address, readsGreeting: false)
                let greeting = try after.line()
                #expect(try greeting.json("max_line") == 2_000)
                #expect(try greeting.json("max_inflight") == 7)
                #expect(await server.graceMilliseconds == 900)
                // A line of 1,500 bytes is too long for a client whose greeting said 1,000.
                let echo = String(repeating: "x", count: 1_500)
                let ping = #"{"op":"ping","id":1,"t":"\#(echo)"}"#
                #expect(try before.ask(ping).json("error")?["code"] == "LINE_TOO_LONG")
                #expect(try after.ask(ping).json("ok") == true)
                let line = try #require(log.last("configuration reloaded"))
                #expect(
                    line["changed"]
                        == "max-line: 1000 -> 2000; max-inflight: 1024 -> 7; grace-ms: 10000 -> 900"
                )
                #expect(line["needs_restart"] == nil)
            }
        }

        @Test func `bounds of machines are applied, and unknown machines are named`()
            async throws
        {
            let file = try ChangingFile(#"{"keep-machines":["caller:steps=1","sensor:steps=5"]}"#)
            let log = LogLines()
            try await with(file, log) { server, _ in
                let message = "keep-machines names machines that are not hosted"
                #expect(log.last(message)?["machines"] == "sensor", "at the start")
                try file.write(#"{"keep-machines":["caller:age-s=7","b:bytes=1","a:bytes=1"]}"#)
                _ = await server.reload()
                #expect(log.last(message)?["machines"] == "a b")
                let line = try #require(log.last("configuration reloaded"))
                #expect(line["changed"]?.string?.hasPrefix("keep-machines: ") == true)
                #expect(line["needs_restart"] == nil)
                try file.write(#"{"keep-machines":["caller:age=7"]}"#)
                _ = await server.reload()
                let refused = try #require(log.last("not reloaded"))
                #expect(refused["problems"]?.string?.contains("caller:age=7") == true)
            }
        }

        @Test func `keys that need a restart are named and stay`() async throws {
            let file = try ChangingFile("{}")
            let log = LogLines()
            try await with(file, log) { server, address in
                try file.write(#"{"node":"n","max-pending":70000,"max-connections":1}"#)
                _ = await server.reload()
                let line = try #require(log.last("configuration reloaded"))
                #expect(line["changed"] == "max-connections: 10240 -> 1")
                #expect(line["needs_restart"] == "node:  -> n; max-pending: 8388608 -> 70000")
                let first = try RawClient(address, readsGreeting: false)
                let greeting = try first.line()
                #expect(try greeting.json("max_pending") == 8_388_608)
                #expect(try greeting.json("node") != "n")
                let second = try RawClient(address, readsGreeting: false)
                #expect(try second.line().json("error")?["code"] == "OVERLOADED")
                _ = await server.reload()
                let again = try #require(log.last("configuration reloaded, nothing changed"))
                #expect(again["needs_restart"] == line["needs_restart"])
            }
        }

        @Test func `a file with errors changes nothing and is one line of the log`() async throws {
            let file = try ChangingFile(#"{"max-line":1000}"#)
            let log = LogLines()
            try await with(file, log) { server, address in
                try file.write("{\"max-line\":2000,\n\"max-inflight\":0,\n\"grace\":1}")
                _ = await server.reload()
                let line = try #require(log.last("not reloaded"))
                #expect(line["level"] == "error")
                let problems = try #require(line["problems"]?.string)
                #expect(problems.contains("line 2") && problems.contains("line 3"))
                let client = try RawClient(address, readsGreeting: false)
                #expect(try client.line().json("max_line") == 1_000)
                try FileManager.default.removeItem(atPath: file.path)
                _ = await server.reload()
                #expect(
                    log.last("not reloaded")?["problems"]?.string?.contains("No such file") == true)
            }
        }

        @Test func `a file that every user can change is refused, at the start and later`()
            async throws
        {
            let file = try ChangingFile(#"{"max-line":1000}"#)
            let log = LogLines()
            func setMode(_ mode: Int) throws {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: file.path)
            }
            try await with(file, log) { server, address in
                try file.write(#"{"max-line":2000}"#)
                try setMode(0o646)
                _ = await server.reload()
                let problems = log.last("not reloaded")?["problems"]?.string
                #expect(problems?.contains("every user can change this file") == true)
                let client = try RawClient(address, readsGreeting: false)
                #expect(try client.line().json("max_line") == 1_000)
                try setMode(0o664)
                _ = await server.reload()
                #expect(log.last("configuration reloaded")?["changed"] == "max-line: 1000 -> 2000")
            }
            try setMode(0o666)
            let error = #expect(throws: ConfigurationError.self) {
                try ServerConfiguration.load(file.source)
            }
            #expect(error?.exitCode == 78)
            #expect(error?.description.contains("(chmod o-w)") == true)
            // Nobody changes a device by writing to it.
            var empty = file.source
            empty.file = "/dev/null"
            let other = #expect(throws: ConfigurationError.self) {
                try ServerConfiguration.load(empty)
            }
            #expect(other?.description.contains("this is no JSON") == true)
        }

        @Test func `the log's level changes on every queue`() async throws {
            let file = try ChangingFile(#"{"log-level":"error"}"#)
            let log = LogLines()
            try await with(file, log) { server, address in
                try file.write(#"{"log-level":"debug"}"#)
                _ = await server.reload()
                #expect(log.last("configuration reloaded")?["changed"] != nil)
                let client = try RawClient(address)
                client.hangUp()
                while log.last("connection closed") == nil { await Task.yield() }
                try file.write(#"{"log-level":"critical"}"#)
                _ = await server.reload()
                #expect(
                    log.last("configuration reloaded")?["changed"] == "log-level: debug -> critical"
                )
            }
        }

        @Test func `the allowed hosts of the handler http change`() async throws {
            let file = try ChangingFile("{}")
            let log = LogLines()
            try await with(file, log) { server, address in
                let client = try RawClient(address)
                /// Returns the reason why a request to this server failed. The server speaks no
                /// HTTP.
                func reason() throws -> String {
                    let call = #"{"type":"call","value":"http://\#(address)/"}"#
                    let reply = try client.ask(
                        #"{"op":"send","id":1,"to":"caller/a","event":\#(call),"settle":"own"}"#)
                    #expect(try reply.json("ok") == true)
                    let state = try client.ask(#"{"op":"get","id":2,"to":"caller/a"}"#)
                    guard let text = try state.json("state")?["reason"]?.string else {
                        return state
                    }
                    return text
                }
                #expect(try reason().contains("isn't allowed"))
                try file.write(
                    #"{"http-allow-private":["127.0.0.1:\#(address.port)"],"http-plaintext":true}"#)
                _ = await server.reload()
                #expect(try reason().contains("no answer from"))
                let line = try #require(log.last("configuration reloaded"))
                #expect(
                    line["changed"]?.string
                        == "http-allow-private:  -> 127.0.0.1:\(address.port); "
                        + "http-plaintext: false -> true")
            }
        }

        @Test func `the file is read once, so a change meanwhile isn't applied in part`() throws {
            let file = try ChangingFile(#"{"max-line":1000}"#)
            let running = try ServerConfiguration.load(file.source)
            let watch = inotify_init1(Int32(IN_NONBLOCK))
            defer { close(watch) }
            #expect(inotify_add_watch(watch, file.path, UInt32(IN_OPEN | IN_CLOSE_NOWRITE)) >= 0)
            let reload = try ConfigurationReload(file.source, running: running)
            #expect(reload.changes.isEmpty)
            var events = [UInt8](repeating: 0, count: 4_096)
            let bytes = read(watch, &events, events.count)
            // One event for the open and one for the close, each without a name.
            #expect(bytes == 2 * MemoryLayout<inotify_event>.size)
        }

        @Test func `flags still win over the file`() async throws {
            let file = try ChangingFile("{}")
            let log = LogLines()
            try await with(file, log) { server, address in
                try file.write(#"{"listen":"127.0.0.1:1"}"#)
                _ = await server.reload()
                #expect(log.last("configuration reloaded, nothing changed") != nil)
                #expect(log.last("configuration reloaded")?["needs_restart"] == nil)
                _ = try RawClient(address)
            }
        }

        @Test func `a server without a source says that there is nothing to reload`() async throws {
            let log = LogLines()
            let file = try ChangingFile("{}")
            try await with(file, log) { server, _ in
                await server.configure(nil, from: nil)
                _ = await server.reload()
                #expect(log.last("not reloaded")?["level"] == "warning")
            }
        }
    }

    @Suite("SIGHUP", .timeLimit(.minutes(1)))
    struct HangupTests {
        @Test func `SIGHUP makes the process read its file again, and nothing else`() async throws {
            let file = try ChangingFile(#"{"max-line":1000}"#)
            let server = try ServerProcess(
                data: file.folder.path("grove.db"), arguments: ["--config", file.path])
            let client = try LineClient(port: server.port)
            try file.write(#"{"max-line":3000,"grace-ms":4000}"#)
            kill(server.processID, SIGHUP)
            while !server.log.contains("configuration reloaded"), server.isRunning {
                await Task.yield()
            }
            try client.send(#"{"op":"ping","id":1}"#)
            #expect(try client.readLine().contains(#""ok":true"#))
            let log = server.log
            #expect(log.contains("max-line: 1000 -> 3000; grace-ms: 10000 -> 4000"))
            #expect(server.stop() == 0)
        }
    }
}
