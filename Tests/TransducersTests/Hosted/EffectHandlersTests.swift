import OrderedJSON
import Synchronization
import Testing
import Transducers

/// A machine in process that has handlers work.
private enum Asker: EffectTransducer {
    struct State: Terminable {
        var log: [String] = []
        var isTerminal: Bool { log.last == "end" }
    }

    enum Event: Codable, Sendable {
        case ask(String, tries: Int)
        case told(String)
        case gaveUp(String)
    }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .ask(let handler, let tries):
            return .perform(
                handler, id: "q", argument: "x", then: "told",
                retry: RetryPolicy(attemptsMax: tries, interval: .zero))
        case .told(let text), .gaveUp(let text):
            state.log.append(text)
            return nil
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? { .gaveUp("\(failure.error)") }
}

@Suite("Handlers in process", .timeLimit(.minutes(5)))
struct EffectHandlersTests {
    private func log(asking name: String, tries: Int = 1) async throws -> [String] {
        let host = ActorHost<Asker>(
            initialState: Asker.State(), options: RunOptions(handlers: Self.handlers))
        let sent = await host.send(.ask(name, tries: tries), tracking: .tree)
        await sent.completion()
        return await host.state.log
    }

    private static var handlers: EffectHandlers {
        var handlers = EffectHandlers()
        handlers.register("greet") { (name: String, _) in "hello \(name)" }
        handlers.register("stream") { (_: String, context) in
            try await context.emit("one")
            try await context.emit("two")
            return "three"
        }
        handlers.register("third try") { (_: String, context) in
            guard context.attempt == 3 else { throw Sorry() }
            return "at last"
        }
        handlers.register("never") { (_: String, _) -> String in
            throw PermanentFailure("that can't be")
        }
        handlers.register("number") { (_: Int, _) in "unheard" }
        handlers.register("slow", timeout: .milliseconds(20)) { (_: String, _) in
            try await Task.sleep(for: .seconds(3_600))
            return "unheard"
        }
        handlers.register("silent") { (_: JSONValue, _) in }
        return handlers
    }

    private struct Sorry: Error {}

    @Test func `a result is the event that the effect names`() async throws {
        #expect(try await log(asking: "greet") == ["hello x"])
    }

    @Test func `what a handler emits comes before its result, in order`() async throws {
        #expect(try await log(asking: "stream") == ["one", "two", "three"])
    }

    @Test func `a failed attempt is repeated as the policy says`() async throws {
        #expect(try await log(asking: "third try", tries: 3) == ["at last"])
        #expect(try await log(asking: "third try", tries: 2) == ["Sorry()"])
    }

    @Test func `a permanent failure is never retried`() async throws {
        #expect(try await log(asking: "never", tries: 5) == ["that can't be"])
    }

    @Test func `an argument that doesn't fit is a permanent failure and says where`() async throws {
        let log = try await log(asking: "number", tries: 5)
        #expect(log.count == 1)
        #expect(log[0].hasPrefix("the argument doesn't fit"))
    }

    @Test func `a handler that takes too long has failed`() async throws {
        let log = try await log(asking: "slow")
        #expect(log.count == 1)
        #expect(log[0].contains("0.02 seconds"), "\(log)")
    }

    @Test func `a handler that ignores its time limit is abandoned`()
        async throws
    {
        let doors = Doors()
        var handlers = EffectHandlers()
        handlers.register("deaf", timeout: .milliseconds(20)) { (_: String, context) in
            await doors.pass("deaf")
            do {
                try await context.emit("late")
                return "later"
            } catch {
                await doors.pass("refused")
                throw error
            }
        }
        let host = ActorHost<Asker>(
            initialState: Asker.State(), options: RunOptions(handlers: handlers))
        let sent = await host.send(.ask("deaf", tries: 2), tracking: .tree)
        await sent.completion()
        #expect(await host.state.log.count == 1)
        #expect(await host.state.log[0].contains("0.02 seconds"))
        await doors.open("refused")
        await doors.open("deaf")
        await doors.visit("refused")
        #expect(await host.state.log.count == 1)
    }

    @Test func `a handler that ignores its cancellation isn't waited for`() async throws {
        let doors = Doors()
        var handlers = EffectHandlers()
        handlers.register("deaf") { (_: String, _) in
            await doors.pass("deaf")
            return "late"
        }
        let host = ActorHost<Asker>(
            initialState: Asker.State(), options: RunOptions(handlers: handlers))
        let sent = await host.send(.ask("deaf", tries: 1), tracking: .tree)
        await doors.visit("deaf")
        sent.cancel()
        await sent.completion()
        #expect(sent.isCancelled)
        await doors.open("deaf")
    }

    @Test func `an unregistered handler is named`() async throws {
        let log = try await log(asking: "nobody")
        #expect(log.count == 1)
        #expect(log[0].contains("nobody"), "\(log)")
    }

    @Test func `handlers are listed by name, and one of a name replaces the other`() throws {
        var handlers = EffectHandlers()
        handlers.register("b") { (_: String, _) in }
        handlers.register("a", concurrencyMax: 0) { (_: String, _) in }
        handlers.register("b", concurrencyMax: 7) { (_: String, _) in }
        #expect(handlers.all.map(\.name) == ["a", "b"])
        #expect(handlers["a"]?.concurrencyMax == 1)
        #expect(handlers["b"]?.concurrencyMax == 7)
        #expect(handlers["c"] == nil)
    }
}
