import Benchmark
package import GroveEngine
package import Transducers

/// A server and the batches that it gets in turns. It is made once, and a sample is one batch. What
/// happens once in many batches (an array grows, rows are written by and by) is in few samples;
/// with a server for each sample it would be in all of them, or in none.
package final class MeasuredPath {
    private var path: EventPath
    private let batches: [[[UInt8]]]
    private let requests: [[[Request]]]
    private var round = 0

    /// A server whose instances exist, and are in memory.
    ///
    /// - Parameters:
    ///   - rounds: How many batches come first, and create the instances.
    ///   - batch: Makes the batch of a round.
    fileprivate init(
        _ path: consuming EventPath, rounds: Int, batch: (Int) -> [[UInt8]]
    ) throws {
        batches = (rounds..<rounds + 8).map(batch)
        requests = batches.map { path.requests($0) }
        for round in 0..<rounds { try path.run(batch(round)) }
        self.path = path
    }

    /// The next batch: lines in, one commit, lines out.
    package func run() throws {
        try path.run(batches[round % batches.count])
        round += 1
    }

    /// The next batch in the engine alone.
    package func step() throws {
        try path.step(requests[round % requests.count])
        round += 1
    }

    /// Reports that every handler which is at work has ended, until none is.
    ///
    /// - Returns: How many there were.
    package func finishEffects() throws -> Int { try path.finishEffects() }

    fileprivate func finish() {
        precondition(path.refused == 0, "the events are accepted")
        path.removeFiles()
    }

    /// Registers a benchmark of one server, whose samples `body` takes.
    ///
    /// - Parameters:
    ///   - rounds: How many batches come first, and create the instances.
    ///   - batch: Makes the batch of a round.
    package static func register(
        _ name: String, rounds: Int = 20, batch: @escaping (Int) -> [[UInt8]],
        path: @escaping () throws -> EventPath, body: @escaping (MeasuredPath) throws -> Void
    ) {
        /// What the three closures share.
        final class Held { var path: MeasuredPath? }
        let held = Held()
        Benchmark(name) { (benchmark: Benchmark) throws -> Void in
            guard let path = held.path else { preconditionFailure("prepared before") }
            benchmark.startMeasurement()
            for _ in benchmark.scaledIterations { try body(path) }
            benchmark.stopMeasurement()
        } setup: {
            held.path = try MeasuredPath(path(), rounds: rounds, batch: batch)
        } teardown: {
            held.path?.finish()
            held.path = nil
        }
    }
}
