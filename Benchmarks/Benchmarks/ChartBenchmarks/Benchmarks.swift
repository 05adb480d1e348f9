import Benchmark
import CEL
import EventPath
import Foundation
import GroveEngine
import GroveStorage
import Statecharts
import Transducers

/// Statecharts beside the same machines as Swift types: the whole way of an event, as
/// `EventBenchmarks` measures it, and the engine's part of it, both in batches of 3,200 events; and
/// the step alone, whose figures are those of one step.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput], maxDuration: .seconds(3))
    registerSteps()
    registerFlat()
    registerRegions()
    registerRings()
}

private let add = #"{"type":"add","amount":1}"#
private let flip = #"{"type":"flip"}"#

private func registerFlat() {
    for instances in [100, 10_000] {
        register("flat, chart, \(instances) instances", "flat", add, instances) {
            try Charts.definition(Charts.flat)
        }
        register("flat, Swift type, \(instances) instances", "flat", add, instances) {
            Definition(Flat.self, named: "flat", version: "1")
        }
    }
    for (name, make) in [
        ("chart", { @Sendable in try Charts.definition(Charts.flat) }),
        ("Swift type", { @Sendable in Definition(Flat.self, named: "flat", version: "1") }),
    ] {
        register("flat, \(name), SQLite, 100 instances", "flat", add, 100, isStored: true, make)
    }
}

private func registerRegions() {
    register("eight regions, chart", "regions", flip) { try Charts.definition(Charts.regions) }
    register("eight regions, Swift type", "regions", flip) {
        Definition(Regions.self, named: "regions", version: "1")
    }
}

private func registerRings() {
    for count in [20, 2_000] {
        register("ring of \(count) states, chart", "ring-\(count)", add) {
            try Charts.definition(Charts.ring(count))
        }
    }
}

/// The whole way of an event, and the engine's part of it.
private func register(
    _ name: String, _ machine: String, _ event: String, _ instances: Int = 100,
    isStored: Bool = false, _ definition: @escaping @Sendable () throws -> Definition
) {
    let batch = { Batches.lines(instances, $0, machine: machine, event: event) }
    let path = {
        let store: any Store =
            isStored ? try SQLiteStore.open(path: temporaryPath()) : MemoryStore()
        return try EventPath(store: store, definitions: [definition()])
    }
    MeasuredPath.register(name, batch: batch, path: path) { try $0.run() }
    guard !isStored else { return }
    MeasuredPath.register("engine: \(name)", batch: batch, path: path) { try $0.step() }
}

/// The interpreter alone, and with the writing of the state.
private func registerSteps() {
    for (name, text, event) in [
        ("flat", Charts.flat, addEvent), ("eight regions", Charts.regions, ChartEvent("flip")),
        ("ring of 20 states", Charts.ring(20), addEvent),
        ("ring of 2000 states", Charts.ring(2_000), addEvent),
    ] {
        for writes in [false, true] {
            let suffix = writes ? ", and its state as JSON" : ""
            Benchmark(
                "step: \(name)\(suffix)",
                configuration: .init(
                    metrics: [.wallClock, .throughput], scalingFactor: .kilo,
                    maxDuration: .seconds(2))
            ) { benchmark in
                try measure(Chart(parsing: Array(text.utf8)), event, writes, benchmark)
            }
        }
    }
}

private let addEvent: ChartEvent = {
    var members = CELMap()
    members["amount"] = .int(1)
    return ChartEvent("add", members)
}()

private func measure(
    _ chart: Chart, _ event: ChartEvent, _ writes: Bool, _ benchmark: Benchmark
) throws {
    let environment = ChartEnvironment(
        now: CELTimestamp(milliseconds: 1_790_000_000_000), id: "c-1", machine: chart.name ?? "")
    var state = try chart.start(environment).state
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations {
        let step = try chart.step(state, event, environment)
        precondition(step.isChanged)
        state = step.state
        if writes { blackHole(chart.json(of: state)) }
    }
    benchmark.stopMeasurement()
}

/// A file of its own for every run, beside the working folder: a temporary folder may be memory.
private func temporaryPath() -> String {
    FileManager.default.currentDirectoryPath + "/.build/chart-\(UUID().uuidString).db"
}
