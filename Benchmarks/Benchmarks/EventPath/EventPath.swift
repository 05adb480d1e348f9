import BuiltInMachines
import Foundation
package import GroveEngine
import GroveProtocol
import GroveStorage
package import Transducers

/// Connections and an engine, driven by hand as the two queues of a server drive them.
package struct EventPath: ~Copyable {
    private let store: any Store
    private let catalogue: Catalogue
    private var engine: Engine
    private var context: ProtocolContext
    /// The owner of a connection, which can't be copied into an array.
    private final class Client {
        var machine: ConnectionMachine

        init(_ machine: consuming ConnectionMachine) { self.machine = machine }
    }

    private let clients: [Client]
    private let now = Timestamp(milliseconds: 1_790_000_000_000)
    /// How many requests were refused.
    package private(set) var refused = 0
    /// What handlers are to do.
    private var dispatched: [EffectDispatch] = []

    package init(
        store: any Store, definitions: [Definition] = BuiltInMachines.definitions,
        handlers: [String: HandlerTraits] = ["http": HandlerTraits(concurrencyMax: 1)]
    ) throws {
        self.store = store
        catalogue = try Catalogue(definitions)
        var options = EngineOptions()
        options.handlers = handlers
        engine = Engine(catalogue: catalogue, store: store, options: options)
        var context = EventPath.context(catalogue, store, now)
        var clients: [Client] = []
        for number in 0..<Batches.connections {
            let id = ConnectionID(UInt64(number))
            clients.append(Client(ConnectionMachine(id: id, context: context)))
        }
        for client in clients { client.machine.greet(using: &context) }
        self.clients = clients
        self.context = context
    }

    private static func context(
        _ catalogue: Catalogue, _ store: any Store, _ now: Timestamp
    ) -> ProtocolContext {
        ProtocolContext(
            catalogue: catalogue, log: store.logID, node: "benchmark", limits: ServerLimits(),
            now: Moment(uptime: 0, time: now))
    }

    /// One batch: a chunk of lines for each connection, one commit, and all replies.
    package mutating func run(_ chunks: [[UInt8]]) throws {
        for (index, chunk) in chunks.enumerated() {
            var burst: [Request] = []
            chunk.withUnsafeBytes {
                clients[index].machine.receive($0, into: &burst, using: &context)
            }
            var place = 0
            while place < burst.count {
                try engine.receive(burst[...], from: &place, at: now, store: store)
            }
        }
        try flush()
        for client in clients {
            while !client.machine.outbound.isEmpty {
                _ = client.machine.outbound.send { $0.count }
            }
        }
    }

    /// The requests of a batch, for ``step(_:)``.
    package func requests(_ chunks: [[UInt8]]) -> [[Request]] {
        var bursts: [[Request]] = []
        // Nobody answers them, so what they hold counts here alone.
        var context = EventPath.context(catalogue, store, now)
        for (index, chunk) in chunks.enumerated() {
            var machine = ConnectionMachine(id: ConnectionID(UInt64(index)), context: context)
            machine.greet(using: &context)
            var burst: [Request] = []
            chunk.withUnsafeBytes { machine.receive($0, into: &burst, using: &context) }
            precondition(burst.count == Batches.pipeline, "all requests are under way at once")
            bursts.append(burst)
        }
        return bursts
    }

    /// One batch in the engine alone: its steps and one commit. No line is read, and none written.
    package mutating func step(_ bursts: [[Request]]) throws {
        for burst in bursts {
            var place = 0
            while place < burst.count {
                try engine.receive(burst[...], from: &place, at: now, store: store)
            }
        }
        for answer in try engine.flush(to: store, at: now).replies {
            if case .failure = answer.reply { refused += 1 }
        }
    }

    /// Reports that every handler which is at work has ended, until none is.
    ///
    /// - Returns: How many there were.
    package mutating func finishEffects() throws -> Int {
        var count = 0
        while !dispatched.isEmpty {
            let reports = dispatched.map { EffectReport($0, .completed(.null)) }
            count += reports.count
            dispatched = []
            try engine.receive(reports, at: now, store: store)
            try flush()
        }
        return count
    }

    private mutating func flush() throws {
        let actions = try engine.flush(to: store, at: now)
        dispatched += actions.dispatches
        for answer in actions.replies {
            if case .failure = answer.reply { refused += 1 }
            clients[Int(answer.connection.value)].machine.deliver(
                answer.reply, to: answer.token, using: &context)
        }
    }

    /// Closes the store and removes its files.
    package func removeFiles() {
        guard let store = store as? SQLiteStore else { return }
        let path = store.path
        do {
            try store.close()
            for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        } catch {
            print("left behind: \(path): \(error)")
        }
    }
}

/// The load.
package enum Batches {
    package static let connections = 25
    package static let pipeline = 128

    /// A chunk of lines for each connection; the same ones for the same round.
    ///
    /// - Parameter event: JSON.
    package static func lines(
        _ instances: Int, _ round: Int, machine: String = "counter",
        event: String = #""increment""#
    ) -> [[UInt8]] {
        var random = UInt64(round + 1) &* 0x9E37_79B9_7F4A_7C15
        var id = round * connections * pipeline
        return (0..<connections).map { _ in
            var text = ""
            for _ in 0..<pipeline {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                id += 1
                let name = String(random >> 33 % UInt64(instances))
                text +=
                    #"{"op":"send","id":\#(id),"to":"\#(machine)/c-\#(name)","event":\#(event)}"#
                text += "\n"
            }
            return Array(text.utf8)
        }
    }
}
