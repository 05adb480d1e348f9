import Benchmark
import Foundation
import TransducerRoutes
import Transducers

/// How many events one sample is.
private let events = 100_000

/// Machines in process beside what the language itself offers. One sample is 100,000 events.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock], warmupIterations: 2, scalingFactor: .one,
        maxDuration: .seconds(3))
    registerBaselines()
    registerRuns()
    registerCalls()
    registerMemory()
}

/// What the language offers.
private func registerBaselines() {
    Benchmark("baseline: actor call") { benchmark in
        let counter = Counter()
        benchmark.startMeasurement()
        for _ in 0..<events { await counter.add(1) }
        benchmark.stopMeasurement()
    }
    Benchmark("baseline: AsyncStream, preloaded, and an actor hop") { benchmark in
        let counter = Counter()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for number in 0..<events { continuation.yield(number) }
        continuation.finish()
        benchmark.startMeasurement()
        for await number in stream { await counter.add(number) }
        benchmark.stopMeasurement()
    }
}

/// The loop.
private func registerRuns() {
    Benchmark("run: preloaded buffer") { benchmark in
        let proxy = Count.Proxy(bufferSize: events)
        for _ in 0..<events { try proxy.send(.increment) }
        benchmark.startMeasurement()
        try await Count.run(initialState: Count.State(limit: events), proxy: proxy)
        benchmark.stopMeasurement()
    }
    Benchmark("run: preloaded buffer, outputs to a callback") { benchmark in
        let proxy = Count.Proxy(bufferSize: events)
        for _ in 0..<events { try proxy.send(.increment) }
        benchmark.startMeasurement()
        try await Count.run(
            initialState: Count.State(limit: events), proxy: proxy,
            output: Callback { blackHole($0) })
        benchmark.stopMeasurement()
    }
    Benchmark("run: immediate events") { benchmark in
        benchmark.startMeasurement()
        try await Chain.run(
            initialState: Count.State(limit: events), proxy: Chain.Proxy(initialEvent: .next),
            options: RunOptions(immediateEventsMax: events))
        benchmark.stopMeasurement()
    }
    Benchmark("run: 10,000 effects there and back") { benchmark in
        benchmark.startMeasurement()
        try await RoundTrip.run(
            initialState: Count.State(limit: 10_000), proxy: RoundTrip.Proxy(initialEvent: .go))
        benchmark.stopMeasurement()
    }
}

/// Machines that are driven by calls.
private func registerCalls() {
    Benchmark("driver: send") { benchmark in
        let driver = SynchronousDriver(of: Count.self, initialState: Count.State())
        benchmark.startMeasurement()
        for _ in 0..<events { try driver.send(.increment) }
        benchmark.stopMeasurement()
    }
    Benchmark("actor host: send") { benchmark in
        let host = ActorHost(of: Count.self, initialState: Count.State())
        benchmark.startMeasurement()
        for _ in 0..<events { try await host.send(.increment) }
        benchmark.stopMeasurement()
    }
    Benchmark("route table: event") { benchmark in
        var state = Gate.State.locked
        benchmark.startMeasurement()
        for _ in 0..<events / 2 {
            blackHole(try Gate.routes.step(&state, event: .coin))
            blackHole(try Gate.routes.step(&state, event: .push))
        }
        benchmark.stopMeasurement()
    }
    Benchmark("route table: event through update") { benchmark in
        var state = Gate.State.locked
        benchmark.startMeasurement()
        for _ in 0..<events / 2 {
            blackHole(try Gate.step(&state, .coin))
            blackHole(try Gate.step(&state, .push))
        }
        benchmark.stopMeasurement()
    }
}

/// What an idle machine takes: the growth of the process over 100,000 of them.
private func registerMemory() {
    let bytes = BenchmarkMetric.custom("bytes of an idle machine")
    Benchmark(
        "memory: actor host",
        configuration: .init(metrics: [bytes], warmupIterations: 0, maxIterations: 3)
    ) { benchmark in
        var hosts: [ActorHost<Count>] = []
        hosts.reserveCapacity(events)
        let before = heapBytes()
        for _ in 0..<events {
            hosts.append(ActorHost(of: Count.self, initialState: Count.State()))
        }
        benchmark.measurement(bytes, (heapBytes() - before) / events)
        blackHole(hosts.count)
    }
    Benchmark(
        "memory: driver",
        configuration: .init(metrics: [bytes], warmupIterations: 0, maxIterations: 3)
    ) { benchmark in
        var drivers: [SynchronousDriver<Count>] = []
        drivers.reserveCapacity(events)
        let before = heapBytes()
        for _ in 0..<events {
            drivers.append(SynchronousDriver(of: Count.self, initialState: Count.State()))
        }
        benchmark.measurement(bytes, (heapBytes() - before) / events)
        blackHole(drivers.count)
    }
}

/// Bytes of memory that the process uses.
private func heapBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
        .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4_096
}
