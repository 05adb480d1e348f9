import OrderedJSON
import Testing
import Transducers

/// A machine that asks for one of everything.
private enum Everything: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {}

    enum Event: String, Codable, Sendable {
        case timer, perform, send, start, ask, compensate, cancel, sequence, closure, condition
        case done
    }

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .timer: .after(.seconds(5), id: "t", .done)
        case .perform:
            .perform(
                "pay", id: "p", policy: .keepOldest, argument: ["sum": 3], then: "done",
                retry: RetryPolicy(attemptsMax: 4), timeout: .seconds(9),
                undo: EffectUndo("refund", argument: 3))
        case .send:
            .send(["type": "add"] as JSONValue, to: "counter/c", after: .milliseconds(7), id: "s")
        case .start: .start("counter", id: "c", input: "increment", isDetached: true)
        case .ask: .ask(id: "a", expires: .seconds(60))
        case .compensate: .compensate()
        case .cancel: .cancel(prefix: "pay")
        case .sequence: .sequence(.after(.zero, .done), .event(.done))
        case .closure: TransducerEffect(action: { .done })
        case .condition: .cancel(ids: { _ in true })
        case .done: nil
        }
    }
}

/// A machine that gives a handler one argument or another.
private enum Arguments: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable {}
    enum Event: String, Codable, Sendable { case small, least, inexact, text, long, missing }

    static let long = String(repeating: "ü", count: 3_000)
    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .small: .perform("h", argument: 5)
        case .least: .perform("h", argument: -9_007_199_254_740_991)
        case .inexact: .perform("h", argument: 9_007_199_254_740_992)
        case .text: .perform("h", argument: "a\u{0}\"\n")
        case .long: .perform("h", argument: long)
        case .missing: .perform("h", argument: Int?.none)
        }
    }
}

@Suite("Effects as data")
struct HostedEffectTests {
    private func effects(of event: Everything.Event) throws -> (StepBuffer, [HostedEffect]) {
        let machine = Definition(Everything.self, named: "e", version: "1").machine
        var instance = try machine.makeInstance()
        var step = StepBuffer()
        let limits = StepLimits(
            immediateEvents: 10, outputs: 10, outputBytes: 1_000, stateBytes: 1_000)
        try instance.apply(
            machine.decodeEvent(.string(event.rawValue)), in: StepContext(limits: limits),
            into: &step)
        return (step, step.effects)
    }

    private func run(of event: Everything.Event) throws -> HostedRun {
        guard case .start(let run)? = try effects(of: event).1.first else {
            throw Rejection("no run")
        }
        return run
    }

    @Test func `each kind of effect has its subject`() throws {
        #expect(try run(of: .timer).work == .after(milliseconds: 5_000, event: "done"))
        #expect(
            try run(of: .send).work
                == .send(to: "counter/c", event: ["type": "add"], milliseconds: 7))
        #expect(
            try run(of: .start).work
                == .start(machine: "counter", instance: nil, input: "increment", detached: true))
        #expect(try run(of: .ask).work == .ask(milliseconds: 60_000))
        #expect(try run(of: .compensate).work == .compensate)
        let names = try [.timer, .perform, .send, .start, .ask, .compensate, .closure].map {
            try run(of: $0).kind
        }
        #expect(names == ["after", "perform", "send", "start", "ask", "compensate", "closure"])
        #expect(try run(of: .send).target == "counter/c")
        #expect(try run(of: .start).target == "counter")
        #expect(try run(of: .timer).target == nil)
    }

    @Test func `a perform keeps all its arguments`() throws {
        let run = try run(of: .perform)
        #expect(run.key.text == "p")
        #expect(run.policy == .keepOldest)
        #expect(run.work == .perform(handler: "pay", argument: ["sum": 3]))
        #expect(run.then == "done")
        #expect(run.retry.attemptsMax == 4)
        #expect(run.timeout == 9_000)
        #expect(run.undo?.handler == "refund")
        #expect(run.undo?.argument == 3)
    }

    @Test func `numbers and texts are arguments as JSON has them`() throws {
        let machine = Definition(Arguments.self, named: "a", version: "1").machine
        func argument(of event: Arguments.Event) throws -> JSONValue? {
            var instance = try machine.makeInstance()
            var step = StepBuffer()
            let limits = StepLimits(
                immediateEvents: 10, outputs: 10, outputBytes: 10_000, stateBytes: 1_000)
            try instance.apply(
                machine.decodeEvent(.string(event.rawValue)), in: StepContext(limits: limits),
                into: &step)
            guard case .start(let run)? = step.effects.first,
                case .perform(_, let argument) = run.work
            else { return nil }
            return argument
        }
        #expect(try argument(of: .small) == .integer(5))
        #expect(try argument(of: .least) == .integer(-9_007_199_254_740_991))
        #expect(throws: StepFailure.self) { try argument(of: .inexact) }
        #expect(try argument(of: .text) == .string("a\u{0}\"\n"))
        #expect(try argument(of: .long) == .string(Arguments.long))
        #expect(try argument(of: .missing) == .null)
    }

    @Test(
        arguments: [
            Everything.Event.timer, .perform, .send, .start, .ask, .compensate, .cancel, .sequence,
            .closure,
        ])
    fileprivate func `a stored effect is read back unchanged`(event: Everything.Event) throws {
        for effect in try effects(of: event).1 {
            var writer = JSONWriter()
            try JSONCoding.encode(effect, into: &writer)
            let document = try JSONDocument(parsing: writer.bytes)
            let read = try JSONCoding.decode(
                HostedEffect.self, from: document, at: document.root)
            #expect(read == effect)
        }
    }

    @Test func `a closure is kept beside its token, and tokens are not used twice`() throws {
        let (step, effects) = try effects(of: .closure)
        guard case .start(let run)? = effects.first, case .closure(let token) = run.work else {
            Issue.record("no closure")
            return
        }
        #expect(step.closures.bodies[token] != nil)
        var closures = step.closures
        closures.removeAll()
        #expect(closures.bodies.isEmpty)
        #expect(HostedClosures(first: .max).bodies.isEmpty)
    }

    @Test func `a condition can't be stored, and the refusal says what to do`() throws {
        #expect {
            try effects(of: .condition)
        } throws: { error in
            guard case .evaluation(let message)? = error as? StepFailure else { return false }
            return message.contains("cancel by id or prefix")
        }
    }

    @Test func `a selector matches within its scopes`() {
        let key = HostedKey(scopes: ["cart"], id: "pay/1")
        #expect(HostedSelector(scopes: ["cart"], .id("pay/1")).includes(key))
        #expect(HostedSelector(scopes: ["cart"], .prefix("pay")).includes(key))
        #expect(HostedSelector(.all).includes(key))
        #expect(!HostedSelector(.id("pay/1")).includes(key))
        #expect(!HostedSelector(scopes: ["cart"], .prefix("pax")).includes(key))
        #expect(!HostedSelector(scopes: ["shop"], .all).includes(key))
        #expect(!HostedSelector(.id("x")).includes(HostedKey(id: nil)))
    }
}
