import GroveEffects
import GroveEngine
import OrderedJSON
import Testing
import Transducers

@Suite("Effect runner: time limits and cancellation", .timeLimit(.minutes(5)))
struct EffectRunnerEndTests {
    @Test func `an attempt that takes too long fails at once, though its handler runs on`()
        async throws
    {
        var reports = Reports()
        let gate = Gate()
        let runner = EffectRunner(
            handlers: handlers("deaf") { argument, _ in
                if argument == "wait" { await gate.pass() }
                return argument
            }, report: reports.put)
        runner.run([
            try Issues.issue("deaf", argument: "wait", timeout: .milliseconds(20))
        ])
        #expect(try await reports.nextText() == "1/1 failed: took longer than 0.02 seconds")
        // The next attempt starts while the first handler is still running. Only the next attempt's
        // result is reported.
        runner.run([try Issues.issue("deaf", argument: 2, attempt: 2)])
        #expect(try await reports.nextText() == "1/2 completed 2")
        await gate.open()
        await runner.shutdown()
        reports.put([EffectReport(try Issues.issue("deaf", run: 9), .completed("fence"))])
        #expect(try await reports.nextText() == #"9/1 completed "fence""#)
    }

    @Test func `a handler that ignores cancellation has at most four times its runs`()
        async throws
    {
        var reports = Reports()
        let gate = Gate()
        var handlers = EffectHandlers()
        handlers.register(
            EffectHandler("deaf", concurrencyMax: 1) { argument, _ in
                if argument == "wait" { await gate.pass() }
                return argument
            })
        let runner = EffectRunner(handlers: handlers, report: reports.put)
        for attempt in 1...4 {
            runner.run([
                try Issues.issue(
                    "deaf", argument: "wait", attempt: attempt, timeout: .milliseconds(5))
            ])
            #expect(
                try await reports.nextText()
                    == "1/\(attempt) failed: took longer than 0.005 seconds")
        }
        runner.run([try Issues.issue("deaf", argument: 1, attempt: 5)])
        #expect(
            try await reports.nextText()
                == "1/5 failed: 4 runs of the handler deaf go on though their time is up: "
                + "it ignores cancellation")
        await gate.open()
        // They end on separate threads.
        var attempt = 6
        while true {
            runner.run([try Issues.issue("deaf", argument: 1, attempt: attempt)])
            let text = try await reports.nextText()
            if text == "1/\(attempt) completed 1" { break }
            #expect(text.contains("go on though their time is up"))
            attempt += 1
            await Task.yield()
        }
        await runner.shutdown()
    }

    @Test func `a handler's time limit holds if the effect has none`() async throws {
        var reports = Reports()
        var handlers = EffectHandlers()
        handlers.register(
            EffectHandler("slow", timeout: .milliseconds(10)) { _, _ in
                try await untilCancelled()
                return .null
            })
        let runner = EffectRunner(handlers: handlers, report: reports.put)
        runner.run([try Issues.issue("slow")])
        #expect(try await reports.nextText() == "1/1 failed: took longer than 0.01 seconds")
    }

    @Test func `each attempt has its own time limit, in any order of starts`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("slow") { _, _ in
                try await untilCancelled()
                return .null
            }, report: reports.put)
        runner.run([
            try Issues.issue("slow", run: 1, timeout: .milliseconds(60)),
            try Issues.issue("slow", run: 2, timeout: .milliseconds(20)),
            try Issues.issue("slow", run: 3, timeout: .milliseconds(40)),
        ])
        #expect(try await reports.nextText() == "2/1 failed: took longer than 0.02 seconds")
        #expect(try await reports.nextText() == "3/1 failed: took longer than 0.04 seconds")
        #expect(try await reports.nextText() == "1/1 failed: took longer than 0.06 seconds")
    }

    @Test func `a cancel never overtakes the start that it is meant for`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("wait") { _, _ in
                try await untilCancelled()
                return .null
            }, report: reports.put)
        for run in Int64(1)...100 {
            runner.run([try Issues.issue("wait", run: run)])
            runner.cancel([Issues.ref(run)])
            #expect(try await reports.nextText() == "\(run)/1 cancelled")
        }
    }

    @Test func `after a cancel, every error counts as cancelled`() async throws {
        struct Interrupted: Error {}
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("wait") { _, _ in
                do { try await untilCancelled() } catch { throw Interrupted() }
                return .null
            }, report: reports.put)
        runner.run([try Issues.issue("wait")])
        runner.cancel([Issues.ref(1), Issues.ref(2)])
        #expect(try await reports.nextText() == "1/1 cancelled")
    }

    @Test func `a handler that completes in spite of a cancel has completed`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("wait") { _, _ in
                try? await untilCancelled()
                return "paid"
            }, report: reports.put)
        runner.run([try Issues.issue("wait")])
        runner.cancel([Issues.ref(1)])
        #expect(try await reports.nextText() == #"1/1 completed "paid""#)
    }

    @Test func `a cancelled handler that ignores it ends at its time limit`() async throws {
        var reports = Reports()
        let gate = Gate()
        let runner = EffectRunner(
            handlers: handlers("deaf") { _, _ in
                await gate.pass()
                return .null
            }, report: reports.put)
        runner.run([try Issues.issue("deaf", timeout: .milliseconds(20))])
        runner.cancel([Issues.ref(1)])
        #expect(try await reports.nextText() == "1/1 cancelled")
        await gate.open()
    }

    @Test func `a handler that throws CancellationError itself has failed`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("quit") { _, _ in throw CancellationError() },
            report: reports.put)
        runner.run([try Issues.issue("quit")])
        #expect(try await reports.nextText() == "1/1 failed: CancellationError()")
    }

    // MARK: Shutdown

    @Test func `shutdown cancels all, waits for their end, and reports no cancellation`()
        async throws
    {
        var reports = Reports()
        let ended = Count()
        let begun = Count()
        let allBegan = Gate()
        let runner = EffectRunner(
            handlers: handlers("wait") { argument, _ in
                begun.add()
                if begun.now == 3 { await allBegan.open() }
                try? await untilCancelled()
                ended.add()
                if argument == "complete" { return "done" }
                throw CancellationError()
            }, report: reports.put)
        runner.run([
            try Issues.issue("wait", run: 1), try Issues.issue("wait", run: 2),
            try Issues.issue("wait", run: 3, argument: "complete"),
        ])
        await allBegan.pass()
        // The grace is long enough, even if other tasks use the pool's threads.
        await runner.shutdown(grace: .seconds(200))
        #expect(ended.now == 3)
        runner.run([try Issues.issue("wait", run: 4)])
        await runner.shutdown()
        #expect(ended.now == 3)
        reports.put([EffectReport(try Issues.issue("wait", run: 9), .completed("fence"))])
        #expect(try await reports.nextText() == #"3/1 completed "done""#)
        #expect(try await reports.nextText() == #"9/1 completed "fence""#)
    }

    @Test func `shutdown waits no longer than its grace, and nothing is reported after it`()
        async throws
    {
        var reports = Reports()
        let gate = Gate()
        let began = Gate()
        let runner = EffectRunner(
            handlers: handlers("deaf") { _, _ in
                await began.open()
                await gate.pass()
                return .null
            }, report: reports.put)
        runner.run([try Issues.issue("deaf")])
        await began.pass()
        await runner.shutdown(grace: .milliseconds(20))
        await gate.open()
        await runner.shutdown()
        reports.put([EffectReport(try Issues.issue("deaf", run: 9), .completed("fence"))])
        #expect(try await reports.nextText() == #"9/1 completed "fence""#)
    }
}
