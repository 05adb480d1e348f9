import Benchmark
import EventPath
import Foundation
import GroveEngine
import GroveStorage
import Transducers

/// The way of an event without sockets and queues: lines in, one commit, lines out. One iteration
/// is a batch of 3,200 events, as 25 connections with 128 requests under way send them; the
/// figures shown are those of a batch.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput], maxDuration: .seconds(3))
    for instances in [100, 10_000] {
        register("memory, \(instances) instances", instances: instances) { MemoryStore() }
        register("SQLite, \(instances) instances", instances: instances) {
            try SQLiteStore.open(path: temporaryPath())
        }
        registerFoundation(
            "Foundation's coders and a dictionary, \(instances) instances", instances)
    }
    registerEffects("plain", "SQLite, plain events of the machine beside")
    registerEffects("ask", "SQLite, durable effects there and back")
}

/// A machine that does nothing, or has a handler do nothing and counts that it was done.
private enum Asker: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable { var count = 0 }
    enum Event: String, Codable { case plain, ask, done }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        guard event == .ask else {
            state.count += 1
            return nil
        }
        return .perform("nothing", id: "n", argument: 1, then: "done")
    }
}

/// An event whose effect runs and comes back, beside an event without effects of the same
/// machine: two commits of a batch, against one. What running a task costs is not in it.
private func registerEffects(_ event: String, _ name: String) {
    let path = {
        let count = Batches.connections * Batches.pipeline
        return try EventPath(
            store: SQLiteStore.open(path: temporaryPath()),
            definitions: [Definition(Asker.self, named: "asker", version: "1")],
            handlers: ["nothing": HandlerTraits(concurrencyMax: count)])
    }
    let batch = { Batches.lines(10_000, $0, machine: "asker", event: "\"\(event)\"") }
    MeasuredPath.register(name, rounds: 8, batch: batch, path: path) { path in
        try path.run()
        if event == "ask" { blackHole(try path.finishEffects()) }
    }
}

/// The whole way over a store.
private func register(
    _ name: String, instances: Int, store: @escaping @Sendable () throws -> any Store
) {
    MeasuredPath.register(
        name, batch: { Batches.lines(instances, $0) }, path: { try EventPath(store: store()) },
        body: { try $0.run() })
}

/// What one would write first: no durability, no history, no versions, nobody who follows.
private func registerFoundation(_ name: String, _ instances: Int) {
    struct Request: Codable {
        var op: String
        var id: Int
        var to: String
        var event: String
    }
    struct Reply: Codable {
        var id: Int
        var ok: Bool
        var v: Int
    }
    Benchmark(name) { benchmark in
        let batches = (0..<8).map { Batches.lines(instances, $0).map { Data($0) } }
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        var counts: [String: Int] = [:]
        benchmark.startMeasurement()
        for round in benchmark.scaledIterations {
            for chunk in batches[round % 8] {
                for line in chunk.split(separator: 0x0A) {
                    let request = try decoder.decode(Request.self, from: line)
                    counts[request.to, default: 0] += 1
                    blackHole(
                        try encoder.encode(
                            Reply(id: request.id, ok: true, v: counts[request.to] ?? 0)))
                }
            }
        }
        benchmark.stopMeasurement()
    }
}

/// A file of its own for every run, beside the working folder: a temporary folder may be memory.
private func temporaryPath() -> String {
    FileManager.default.currentDirectoryPath + "/.build/event-\(UUID().uuidString).db"
}
