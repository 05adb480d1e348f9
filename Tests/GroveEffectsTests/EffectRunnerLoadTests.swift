import GroveEffects
import GroveEngine
import OrderedJSON
import Testing
import Transducers

/// A random generator that gives the same numbers for the same seed.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Effect runner: many at once", .timeLimit(.minutes(5)))
struct EffectRunnerLoadTests {
    /// A handler that ends in every way; the argument selects it.
    private static let mixed = handlers("mixed") { argument, context in
        switch argument.integer.map({ $0 % 6 }) {
        case 0: return argument
        case 1: throw PermanentFailure("no")
        case 2:
            try await untilCancelled()
            return .null
        case 3:
            try? await untilCancelled()
            return argument
        case 4:
            for value in 1...3 { try await context.emit(value) }
            return argument
        default:
            await Task.yield()
            throw CancellationError()
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `every attempt ends with exactly one report`(
        seed: UInt64
    ) async throws {
        var random = Seeded(state: seed)
        var reports = Reports()
        let runner = EffectRunner(handlers: Self.mixed, report: reports.put)
        let runs = Int64(1_000)
        var ended: [EffectRef: Int] = [:]
        var open = 0
        for run in 1...runs {
            // A few have no time at all. Kinds 2 and 3 end by a time limit or a cancel.
            let timeout = Duration.milliseconds(Int64.random(in: 0...30, using: &random))
            let argument = JSONValue.integer(Int64.random(in: 0..<6, using: &random))
            runner.run([
                try Issues.issue("mixed", run: run, argument: argument, timeout: timeout)
            ])
            open += 1
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                runner.cancel([Issues.ref(Int64.random(in: 1...run, using: &random))])
            }
        }
        while open > 0 {
            let report = try await reports.next()
            if case .emitted = report.outcome {
                report.answer?(Bool.random(using: &random))
                continue
            }
            ended[report.ref, default: 0] += 1
            open -= 1
        }
        await runner.shutdown()
        reports.put([EffectReport(try Issues.issue("mixed", run: -1), .completed("fence"))])
        // Every other report would come before the fence.
        #expect(try await reports.nextText() == #"-1/1 completed "fence""#, "seed \(seed)")
        #expect(ended.count == Int(runs) && ended.values.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
}
