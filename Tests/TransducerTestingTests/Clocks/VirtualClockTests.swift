import Testing
import Transducers

@testable import TransducerTesting

@Suite("VirtualClock")
struct VirtualClockTests {
    let clock = VirtualClock()
    let log = Log()
    /// Runs the sleepers, so that the test knows when they are done.
    let executor = TestExecutor()

    /// The events in order.
    actor Log {
        private(set) var lines: [String] = []
        func append(_ line: String) { lines.append(line) }
    }

    /// Sleeps until a given second, then logs the time.
    func sleeper(_ name: String, until second: Int) -> Task<Void, any Error> {
        Task(executorPreference: executor) { [clock, log] in
            try await clock.sleep(until: .init(offset: .seconds(second)))
            await log.append("\(name) at \(clock.now)")
        }
    }

    /// Advances the clock and waits for all the work that follows from it.
    func advance(by duration: Duration) async {
        await clock.advance(to: clock.now.advanced(by: duration)) { [executor] _ in
            _ = await executor.rested(within: .seconds(60))
        }
    }

    /// Waits until `count` sleepers exist, without advancing time.
    func waitForSleepers(_ count: Int) async {
        while clock.sleeperCount < count { await Task.yield() }
    }

    @Test func `time stands still until it is advanced`() async {
        #expect(clock.now.offset == .zero)
        await clock.advance(by: .milliseconds(1_500))
        #expect(clock.now.offset == .milliseconds(1_500))
        #expect(clock.now.description == "1.5 seconds")
    }

    @Test func `sleepers wake by deadline, and at one deadline in the order of sleep`() async {
        for (number, second) in [3, 1, 2, 1, 3].enumerated() {
            _ = sleeper("\(number)", until: second)
            await waitForSleepers(number + 1)
        }
        #expect(clock.nextDeadline?.offset == .seconds(1))
        await advance(by: .seconds(10))
        #expect(
            await log.lines == [
                "1 at 1.0 seconds", "3 at 1.0 seconds", "2 at 2.0 seconds", "0 at 3.0 seconds",
                "4 at 3.0 seconds",
            ])
        #expect(clock.now.offset == .seconds(10))
        #expect(clock.nextDeadline == nil)
    }

    @Test func `sleepers before their time continue to sleep`() async {
        _ = sleeper("early", until: 1)
        _ = sleeper("late", until: 2)
        await waitForSleepers(2)
        await advance(by: .milliseconds(1_999))
        #expect(await log.lines == ["early at 1.0 seconds"])
        #expect(clock.sleeperCount == 1)
        await advance(by: .milliseconds(1))
        #expect(await log.lines == ["early at 1.0 seconds", "late at 2.0 seconds"])
    }

    @Test func `a sleeper that sleeps again within the time wakes again`() async {
        Task(executorPreference: executor) { [clock, log] in
            for _ in 1...5 {
                try await clock.sleep(for: .seconds(2))
                await log.append("\(clock.now)")
            }
        }
        await advance(by: .seconds(7))
        #expect(await log.lines == ["2.0 seconds", "4.0 seconds", "6.0 seconds"])
        #expect(clock.nextDeadline?.offset == .seconds(8))
    }

    @Test func `a deadline that is now or past doesn't wait`() async throws {
        await clock.advance(by: .seconds(5))
        try await clock.sleep(until: .init(offset: .seconds(5)))
        try await clock.sleep(until: .init(offset: .seconds(1)))
        try await clock.sleep(for: .zero)
    }

    @Test func `the clock doesn't go back`() async {
        await clock.advance(to: .init(offset: .seconds(5)))
        await clock.advance(to: .init(offset: .seconds(3)))
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func `cancelling wakes at once, without time`() async {
        let task = sleeper("cancelled", until: 1)
        await waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
        #expect(clock.now.offset == .zero)
    }

    @Test func `a task that was cancelled before doesn't sleep`() async {
        let task = Task { [clock] in
            while !Task.isCancelled { await Task.yield() }
            try await clock.sleep(for: .seconds(1))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `run continues until no task sleeps`() async throws {
        _ = sleeper("first", until: 60)
        _ = sleeper("second", until: 3_600)
        await waitForSleepers(2)
        try await clock.run(sleepsMax: 2) { [executor] _ in
            _ = await executor.rested(within: .seconds(60))
        }
        #expect(await log.lines == ["first at 60.0 seconds", "second at 3600.0 seconds"])
        #expect(clock.now.offset == .seconds(3_600))
    }

    @Test func `tasks anywhere are woken as time passes`() async {
        let task = Task { [clock, log] in
            for _ in 1...5 { try await clock.sleep(for: .seconds(1)) }
            await log.append("done")
        }
        while await log.lines.isEmpty { await clock.advance(by: .seconds(1)) }
        #expect(clock.now.offset >= .seconds(5))
        await #expect(throws: Never.self) { try await task.value }
    }

    @Test func `run stops with an error at an endless sleeper`() async {
        let task = Task { [clock] in while true { try await clock.sleep(for: .seconds(1)) } }
        await waitForSleepers(1)
        await #expect(throws: VirtualClock.RunError.sleepsMaxReached(3)) {
            try await clock.run(sleepsMax: 3)
        }
        #expect(clock.now.offset == .seconds(3))
        task.cancel()
        #expect(
            VirtualClock.RunError.sleepsMaxReached(3).description
                == "3 sleeps have ended and there are more: something sleeps again and again, so "
                + "advance(by:) to a time of interest, or raise sleepsMax")
    }

    @Test func `run ends well with exactly as many sleeps as allowed`() async throws {
        _ = sleeper("one", until: 1)
        await waitForSleepers(1)
        try await clock.run(sleepsMax: 1)
        while await log.lines.isEmpty { await Task.yield() }
        #expect(await log.lines == ["one at 1.0 seconds"])
    }

    @Test func `many tasks sleep and are cancelled at once, and all come back`() async {
        let count = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                group.addTask { [clock] in
                    let task = Task { try await clock.sleep(for: .seconds(number % 7)) }
                    if number.isMultiple(of: 3) { task.cancel() }
                    return (try? await task.value) != nil
                }
            }
            group.addTask { [clock] in
                while clock.now.offset < .seconds(1_000) { await clock.advance(by: .seconds(10)) }
                return true
            }
            return await group.reduce(into: 0) { count, _ in count += 1 }
        }
        #expect(count == 201)
    }

    @Test func `a machine that runs elsewhere waits by it`() async throws {
        let proxy = Door.Proxy()
        let run = Task { [clock] in
            try await Door.run(
                initialState: .closed, proxy: proxy, options: RunOptions(clock: clock))
        }
        try proxy.send(.open)
        await waitForSleepers(1)
        await clock.advance(by: .seconds(3))
        try proxy.send(.remove)
        #expect(try await run.value == .bangs)
    }
}
