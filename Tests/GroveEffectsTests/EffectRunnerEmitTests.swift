import GroveEffects
import GroveEngine
import OrderedJSON
import Testing
import Transducers

@Suite("Effect runner: results before the end", .timeLimit(.minutes(5)))
struct EffectRunnerEmitTests {
    /// Emits 1, 2, 3 and then completes.
    private static let three = handlers("three") { _, context in
        for value in 1...3 { try await context.emit(value) }
        return "end"
    }

    @Test func `an emitter waits for the commit of each result`() async throws {
        var reports = Reports()
        let runner = EffectRunner(handlers: Self.three, report: reports.put)
        runner.run([try Issues.issue("three")])
        for number in 1...3 {
            let report = try await reports.next()
            #expect(report.text == "1/1 emitted \(number) as \(number)")
            report.answer?(true)
        }
        #expect(try await reports.nextText() == #"1/1 completed "end""#)
    }

    @Test func `results are counted over all attempts`() async throws {
        var reports = Reports()
        let runner = EffectRunner(handlers: Self.three, report: reports.put)
        runner.run([try Issues.issue("three", attempt: 2, delivered: 5)])
        for number in 1...3 {
            let report = try await reports.next()
            #expect(report.text == "1/2 emitted \(number) as \(number + 5)")
            report.answer?(true)
            // A second answer changes nothing.
            report.answer?(false)
        }
        #expect(try await reports.nextText() == #"1/2 completed "end""#)
    }

    @Test func `a result of an ended attempt throws CancellationError`() async throws {
        var reports = Reports()
        let after = Count()
        let runner = EffectRunner(
            handlers: handlers("three") { _, context in
                do {
                    try await context.emit(1)
                } catch {
                    #expect(error is CancellationError)
                    // Later results throw too, without a report.
                    await #expect(throws: CancellationError.self) { try await context.emit(2) }
                    after.add()
                    throw error
                }
                return .null
            }, report: reports.put)
        runner.run([try Issues.issue("three")])
        let report = try await reports.next()
        #expect(report.text == "1/1 emitted 1 as 1")
        report.answer?(false)
        #expect(try await reports.nextText() == "1/1 cancelled")
        #expect(after.now == 1)
    }

    @Test func `a cancel ends an emitter's wait for a commit`() async throws {
        var reports = Reports()
        let runner = EffectRunner(handlers: Self.three, report: reports.put)
        runner.run([try Issues.issue("three")])
        let report = try await reports.next()
        runner.cancel([Issues.ref(1)])
        #expect(try await reports.nextText() == "1/1 cancelled")
        report.answer?(true)
        await runner.shutdown()
    }

    @Test func `the time limit ends an emitter's wait for a commit`() async throws {
        // Starts with enough time for the handler to begin. A busy computer may need longer.
        for timeout in [Duration.milliseconds(300), .seconds(3), .seconds(30)] {
            var reports = Reports()
            let refused = Gate()
            let runner = EffectRunner(
                handlers: handlers("one") { _, context in
                    await #expect(throws: CancellationError.self) { try await context.emit(1) }
                    await refused.open()
                    return .null
                }, report: reports.put)
            runner.run([try Issues.issue("one", timeout: timeout)])
            let first = try await reports.nextText()
            await refused.pass()
            guard first == "1/1 emitted 1 as 1" else { continue }
            let second = try await reports.nextText()
            #expect(second.hasPrefix("1/1 failed: took longer than"))
            return
        }
        Issue.record("the handler never began in time")
    }

    @Test func `an abandoned handler can't emit into the next attempt`() async throws {
        var reports = Reports()
        let gate = Gate()
        let refused = Gate()
        let runner = EffectRunner(
            handlers: handlers("late") { _, context in
                if context.attempt == 2 { return "second" }
                await gate.pass()
                await #expect(throws: CancellationError.self) { try await context.emit(1) }
                await refused.open()
                return "first"
            }, report: reports.put)
        runner.run([try Issues.issue("late", timeout: .milliseconds(10))])
        #expect(try await reports.nextText() == "1/1 failed: took longer than 0.01 seconds")
        await gate.open()
        await refused.pass()
        runner.run([try Issues.issue("late", attempt: 2)])
        #expect(try await reports.nextText() == #"1/2 completed "second""#)
    }

    @Test func `several emitters of one attempt get different numbers`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("crowd") { _, context in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for value in 0..<50 { group.addTask { try await context.emit(value) } }
                    try await group.waitForAll()
                }
                return "end"
            }, report: reports.put)
        runner.run([try Issues.issue("crowd")])
        var values: Set<JSONValue> = []
        for wanted in 1...50 {
            let report = try await reports.next()
            guard case .emitted(let value, let number) = report.outcome else { continue }
            #expect(number == wanted)
            values.insert(value)
            report.answer?(true)
        }
        #expect(values.count == 50)
        #expect(try await reports.nextText() == #"1/1 completed "end""#)
    }
}
