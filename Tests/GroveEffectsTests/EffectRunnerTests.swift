import GroveEffects
import GroveEngine
import OrderedJSON
import Testing
import Transducers

/// The error that the tests' handlers throw.
private struct Sorry: Error, CustomStringConvertible {
    var description = "sorry"
}

@Suite("Effect runner", .timeLimit(.minutes(5)))
struct EffectRunnerTests {
    @Test func `a handler gets its context, and its result is reported`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("look") { argument, context in
                let instance = context.instance ?? "none"
                return .string(
                    "\(argument) \(context.key) \(context.attempt) \(instance) \(context.delivered)"
                )
            }, report: reports.put)
        runner.run([
            try Issues.issue("look", run: 3, argument: ["a": 1], attempt: 2, delivered: 4)
        ])
        #expect(
            try await reports.nextText() == #"3/2 completed "{\"a\":1} key-3 2 order/7 4""#)
    }

    @Test func `a replaced handler gets the later attempts`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("look") { _, _ in "old" }, report: reports.put)
        runner.run([try Issues.issue("look")])
        #expect(try await reports.nextText() == #"1/1 completed "old""#)
        let other = handlers("look") { _, _ in "new" }
        for handler in other.all { runner.replace(handler) }
        runner.run([try Issues.issue("look", attempt: 2)])
        #expect(try await reports.nextText() == #"1/2 completed "new""#)
    }

    @Test func `an error is a failed attempt, unless it is permanent`()
        async throws
    {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("fail") { argument, _ in
                if argument == "for good" { throw PermanentFailure("never") }
                throw Sorry()
            }, report: reports.put)
        runner.run([try Issues.issue("fail")])
        #expect(try await reports.nextText() == "1/1 failed: sorry")
        runner.run([try Issues.issue("fail", argument: "for good", attempt: 2)])
        #expect(try await reports.nextText() == "1/2 failed for good: never")
    }

    @Test func `the pause that a handler asks for is reported with its failure`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("later") { argument, _ in
                if argument == "soon" { throw Sorry() }
                throw RetryLater("busy", after: .milliseconds(1_500))
            }, report: reports.put)
        runner.run([try Issues.issue("later")])
        let later = try await reports.next()
        #expect(later.text == "1/1 failed: busy")
        #expect(later.pause == 1_500)
        runner.run([try Issues.issue("later", argument: "soon", attempt: 2)])
        #expect(try await reports.next().pause == 0)
    }

    @Test func `a long reason is cut between two characters`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("fail") { argument, _ in
                throw Sorry(description: String(repeating: "x", count: 2) + long)
            }, report: reports.put)
        runner.run([try Issues.issue("fail")])
        guard case .failed(let reason, _) = try await reports.next().outcome else {
            Issue.record("not failed")
            return
        }
        #expect(reason.utf8.count <= 1_024 && reason.utf8.count > 1_018)
        #expect(reason.hasSuffix("ä..."))
    }

    private let long = String(repeating: "ä", count: 5_000)

    @Test func `an unknown handler is a failed attempt that may be retried`() async throws {
        var reports = Reports()
        let runner = EffectRunner(handlers: EffectHandlers(), report: reports.put)
        runner.run([try Issues.issue("nobody")])
        #expect(
            try await reports.nextText() == "1/1 failed: no handler nobody is registered")
    }

    @Test func `a result or an event past a mebibyte fails for good`() async throws {
        var reports = Reports()
        let large = JSONValue.string(String(repeating: "x", count: 1 << 20))
        let runner = EffectRunner(
            handlers: handlers("large") { argument, context in
                if argument == "emit" { try await context.emit(large) }
                if argument == "most" {
                    return .string(String(repeating: "x", count: (1 << 20) - 2))
                }
                return large
            }, report: reports.put)
        runner.run([try Issues.issue("large", argument: "most", attempt: 3)])
        #expect(try await reports.nextText().hasPrefix(#"1/3 completed "#))
        runner.run([try Issues.issue("large")])
        #expect(
            try await reports.nextText()
                == "1/1 failed for good: the handler's result has 1048578 bytes as JSON; "
                + "1048576 are allowed")
        runner.run([try Issues.issue("large", argument: "emit", attempt: 2)])
        #expect(
            try await reports.nextText()
                == "1/2 failed for good: the handler's event has 1048578 bytes as JSON; "
                + "1048576 are allowed")
    }

    @Test func `a result that can't be read back fails for good`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("deep") { _, _ in
                (0..<65).reduce(JSONValue.null) { value, _ in [value] }
            }, report: reports.put)
        runner.run([try Issues.issue("deep")])
        let text = try await reports.nextText()
        #expect(text.hasPrefix("1/1 failed for good: the handler's result can't be kept:"))
    }

    @Test func `attempts of different effects don't mix`() async throws {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("echo") { argument, _ in argument }, report: reports.put)
        runner.run(
            try (1...100).map { try Issues.issue("echo", run: $0, argument: .integer($0)) })
        var texts: Set<String> = []
        for _ in 1...100 { texts.insert(try await reports.nextText()) }
        #expect(texts == Set((1...100).map { "\($0)/1 completed \($0)" }))
    }

    @Test func `an effect that is dispatched twice at once is cancelled the first time`()
        async throws
    {
        var reports = Reports()
        let runner = EffectRunner(
            handlers: handlers("wait") { _, context in
                if context.attempt == 1 { try await untilCancelled() }
                return 2
            }, report: reports.put)
        runner.run([try Issues.issue("wait"), try Issues.issue("wait", attempt: 2)])
        #expect(try await reports.nextText() == "1/1 cancelled")
        #expect(try await reports.nextText() == "1/2 completed 2")
    }
}

/// Returns one handler with this name.
func handlers(_ name: String, _ body: @escaping EffectHandler.Body) -> EffectHandlers {
    var handlers = EffectHandlers()
    handlers.register(EffectHandler(name, body: body))
    return handlers
}

@Suite("Effect runner: closures", .timeLimit(.minutes(5)))
struct EffectRunnerClosureTests {
    @Test func `a closure runs instead of a handler, without a time limit`()
        async throws
    {
        var reports = Reports()
        let runner = EffectRunner(handlers: EffectHandlers(), report: reports.put)
        var issue = try Issues.issue("(closure)")
        issue.closure = EffectHandler("closure", timeout: .seconds(100 * 366 * 86_400)) {
            argument, context in
            try await context.emit(1)
            return argument
        }
        runner.run([issue])
        let emitted = try await reports.next()
        #expect(emitted.text == "1/1 emitted 1 as 1")
        emitted.answer?(true)
        #expect(try await reports.nextText() == "1/1 completed null")
        await runner.shutdown()
    }
}
