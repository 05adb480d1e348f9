import GroveEngine
import GroveTestSupport
import Testing
import Transducers

/// The engine's work for one client grows with its requests, and not with their square.
@Suite("Work that doesn't grow with the square", .serialized)
struct WorkGrowthTests {
    /// Between 8, for proportional growth, and 64, for quadratic growth.
    private static let growthMax = 28.0

    @Test func `deletes of one batch, with a subscriber`() throws {
        let growth = try ProcessorTime.growth(from: 150) { count in
            let harness = try EngineHarness()
            _ = try harness.subscribe("s", machine: "turnstile")
            for number in 0..<count {
                try harness.receive(harness.makeSend("counter/c\(number)", #""increment""#))
            }
            _ = try harness.flush()
            let names = try (0..<count).map { try harness.instance("counter/c\($0)") }
            for number in 0..<count {
                try harness.receive(harness.makeSend("counter/c\(number)", #""increment""#))
            }
            return try ProcessorTime.of {
                for name in names { try harness.receive(.delete(name)) }
                guard try harness.flush().replies.count == 2 * count else {
                    throw Problem("not all were answered")
                }
            }
        }
        #expect(growth < Self.growthMax)
    }

    /// A harness with many requests that wait for one instance, each on its own connection.
    private func waiting(_ count: Int, timeout: Int64) throws -> EngineHarness {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.send("countdown/c", #""tick""#)
        let name = try harness.instance("countdown/c")
        for number in 0..<count {
            try harness.receive(
                .await(Await(to: name, until: .done, timeout: timeout)),
                from: ConnectionID(UInt64(10 + number)))
        }
        _ = try harness.flush()
        return harness
    }

    /// Applies everything that is due, in turns; returns the number of replies of each.
    private func turns(_ harness: EngineHarness) throws -> [Int] {
        var turns = [try harness.flush().replies.count]
        while let due = harness.engine.nextDue, due <= harness.now {
            try harness.engine.enqueueDue(at: harness.now, store: harness.store)
            turns.append(try harness.flush().replies.count)
        }
        return turns
    }

    @Test func `many requests that wait for one event`() throws {
        let growth = try ProcessorTime.growth(from: 300) { count in
            let harness = try waiting(count, timeout: 60_000)
            return try ProcessorTime.of {
                try harness.receive(.stop(harness.instance("countdown/c"), reason: nil))
                let turns = try turns(harness)
                guard turns.reduce(0, +) == count + 1, turns.allSatisfy({ $0 <= 513 }) else {
                    throw Problem("\(turns)")
                }
            }
        }
        #expect(growth < Self.growthMax)
    }

    @Test func `many waits that time out at one moment`() throws {
        let growth = try ProcessorTime.growth(from: 300) { count in
            let harness = try waiting(count, timeout: 1_000)
            harness.now = Timestamp(milliseconds: harness.now.milliseconds + 1_000)
            return try ProcessorTime.of {
                let turns = try turns(harness)
                guard turns.reduce(0, +) == count, turns.allSatisfy({ $0 <= 512 }) else {
                    throw Problem("\(turns)")
                }
            }
        }
        #expect(growth < Self.growthMax)
    }

    /// A laboratory with ten times as many timers.
    private func timers(_ count: Int) throws -> EffectBench {
        let bench = try EffectBench()
        for part in 0..<10 {
            let plans = (0..<count).map {
                Lab.Plan.after(60_000, id: "\(part)-\($0)", note: "x")
            }
            try bench.plan(.all(plans))
        }
        return bench
    }

    @Test func `many cancellations of one step`() throws {
        let growth = try ProcessorTime.growth(from: 125) { count in
            let bench = try timers(count)
            return try ProcessorTime.of {
                // Some existing ones, and some absent ones.
                try bench.plan(.all((0..<count).map { .cancel("\($0 % 20)-\($0)") }))
            }
        }
        #expect(growth < Self.growthMax)
    }

    @Test func `many requests to cancel`() throws {
        let growth = try ProcessorTime.growth(from: 125) { count in
            let bench = try timers(count)
            let name = try #require(InstanceName("lab/a"))
            return try ProcessorTime.of {
                _ = try bench.askTogether(
                    (0..<count).map { number in
                        let choice: Operation.CancelChoice =
                            switch number % 3 {
                            case 0: .effect(Int64(number))
                            case 1: .id("3-\(number)")
                            default: .timer("4-\(number)")
                            }
                        return .cancel(name, choice)
                    })
            }
        }
        #expect(growth < Self.growthMax)
    }

    @Test func `effects of one instance that fail one after the other`() throws {
        let growth = try ProcessorTime.growth(from: 50) { count in
            let bench = try EffectBench(concurrency: 10_000)
            for _ in 0..<(count / 50) {
                let plans = (0..<50).map { _ in
                    Lab.Plan.perform("work", id: nil, then: nil, tries: 1, policy: "coexist")
                }
                try bench.plan(.all(plans))
            }
            return try ProcessorTime.of {
                try bench.failAll()
            }
        }
        #expect(growth < Self.growthMax)
    }
}
