import GroveEngine
import GroveProtocol
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import Statecharts

/// A server of charts over a store in memory: one request after the other, and time that passes
/// only when the test says so.
final class ChartServer {
    private let store = MemoryStore()
    private var server: InMemoryServer
    private var client: ConnectionID
    private var defined: [[UInt8]] = []
    private let handlers: [String]
    private var now = Moment(
        uptime: 1_000, time: Timestamp(milliseconds: 1_763_692_800_000))

    /// A server that hosts these definitions and calls these handlers.
    init(_ definitions: String..., handlers: [String] = ["http"]) throws {
        self.handlers = handlers
        server = try Self.start([], store, handlers, now)
        client = server.connect()
        for definition in definitions { try define(definition) }
    }

    private static func start(
        _ defined: [[UInt8]], _ store: MemoryStore, _ handlers: [String], _ now: Moment
    ) throws -> InMemoryServer {
        var catalogue = try Catalogue([])
        for text in defined {
            guard case .definitions(let family, _) = compile(text, wasAccepted: true) else {
                continue
            }
            try catalogue.add(family: family, bytes: text.count)
        }
        var options = EngineOptions()
        for name in handlers { options.handlers[name] = HandlerTraits(concurrencyMax: 8) }
        let server = InMemoryServer(
            catalogue: catalogue, store: store, options: options, now: now)
        server.compiler = { Self.compile($0) }
        return server
    }

    private static func compile(
        _ text: [UInt8], wasAccepted: Bool = false
    ) -> CompiledDefinition {
        do {
            let json = try JSONValue(parsing: text, limits: .stored)
            let chart = try Chart(json, wasAccepted: wasAccepted)
            return .definitions(try ChartDefinitions(chart, json: json).all, warnings: [])
        } catch {
            return .refused([DefinitionProblem(path: "$", message: "\(error)")])
        }
    }

    /// Another process over the same store.
    func restart() throws {
        server = try Self.start(defined, store, handlers, now)
        client = server.connect()
    }

    /// Adds a version of a machine.
    func define(_ definition: String) throws {
        let text = try JSONValue(parsing: Array(definition.utf8)).serialized()
        let line = String(decoding: text, as: UTF8.self)
        let reply = try ask(#"{"op":"define","definition":\#(line)}"#)
        try #require(reply["ok"] == true, "\(reply)")
        defined.append(text)
    }

    /// Sends a request, without its `id`, and returns the reply.
    @discardableResult
    func ask(_ request: String) throws -> JSONValue {
        try server.receive(Array(#"{"id":1,\#(request.dropFirst())"#.utf8) + [10], from: client)
        try settle()
        let bytes = try server.read(client)
        for line in bytes.split(separator: 10) {
            let reply = try JSONValue(parsing: Array(line))
            if reply["id"] != nil { return reply }
        }
        throw ChartServerError(text: "no reply to \(request)")
    }

    /// Sends requests, without their `id`, that share one commit.
    func askTogether(_ requests: String...) throws {
        let lines = requests.map { #"{"id":1,\#($0.dropFirst())"# + "\n" }
        try server.receive(Array(lines.joined().utf8), from: client)
        try settle()
        for line in try server.read(client).split(separator: 10) {
            let reply = try JSONValue(parsing: Array(line))
            if reply["error"] != nil { throw ChartServerError(text: "\(reply)") }
        }
    }

    /// The reply to `get`, with the names of the active states.
    func get(_ name: String) throws -> JSONValue {
        try ask(#"{"op":"get","to":"\#(name)","in":true}"#)
    }

    /// The names of the active states of an instance.
    func active(_ name: String) throws -> [String] {
        (try get(name)["in"]?.array ?? []).compactMap(\.string)
    }

    /// The ids of an instance's timers and other effects, with their phases.
    func effects(_ name: String) throws -> [String] {
        let reply = try get(name)
        return (reply["timers"]?.array ?? []).compactMap { $0["id"]?.string }
            + (reply["effects"]?.array ?? []).map {
                "\($0["id"]?.string ?? "-") \($0["phase"]?.string ?? "-")"
            }
    }

    /// The code of a refusal; `ok` without one.
    func code(_ request: String) throws -> String {
        let reply = try ask(request)
        return reply["error"]?["code"]?.string ?? "ok"
    }

    /// Lets time pass; everything that is due happens at its time.
    func advance(_ milliseconds: Int64) throws {
        let end = now.time.milliseconds + milliseconds
        while let due = server.nextDue, due.milliseconds <= end {
            move(to: max(due.milliseconds, now.time.milliseconds))
            try server.enqueueDue()
            try settle()
        }
        move(to: end)
    }

    /// The calls of handlers that run, oldest first.
    var calls: [EffectDispatch] { server.dispatched }

    /// Ends the oldest call of a handler.
    func report(_ outcome: EffectReport.Outcome) throws {
        guard let call = server.dispatched.first else {
            throw ChartServerError(text: "no handler runs")
        }
        try server.report(outcome, of: call)
        try settle()
    }

    private func move(to time: Int64) {
        now.uptime += time - now.time.milliseconds
        now.time.milliseconds = time
        server.context.now = now
    }

    /// Sends a request, without its `id`, and applies what it makes due one effect a turn.
    ///
    /// - Returns: The version of an instance after each turn, as long as effects are due.
    func askInTurns(_ request: String, watching name: String) throws -> [Int64] {
        try server.receive(Array(#"{"id":1,\#(request.dropFirst())"#.utf8) + [10], from: client)
        try server.flush(settling: 0)
        var versions: [Int64] = []
        while server.nextDue.map({ $0 <= now.time }) ?? false {
            try server.enqueueDue()
            try server.flush(settling: 1)
            versions.append(try version(of: name))
        }
        return versions
    }

    private func version(of name: String) throws -> Int64 {
        let line = #"{"op":"get","id":2,"to":"\#(name)"}"# + "\n"
        _ = try server.read(client)
        try server.receive(Array(line.utf8), from: client)
        try server.flush(settling: 0)
        let reply = try JSONValue(parsing: try server.read(client))
        guard let version = reply["v"]?.integer else { throw ChartServerError(text: "\(reply)") }
        return version
    }

    private func settle() throws {
        repeat {
            try server.flush()
            while let due = server.nextDue, due <= now.time {
                try server.enqueueDue()
                try server.flush()
            }
            while server.hasBackgroundWork { try server.work() }
        } while server.nextDue.map { $0 <= now.time } ?? false
    }
}

struct ChartServerError: Error {
    let text: String
}
