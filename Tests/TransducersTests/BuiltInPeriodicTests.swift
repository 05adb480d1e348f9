import BuiltInMachines
import OrderedJSON
import Testing
import Transducers

@Suite("Periodic")
struct BuiltInPeriodicTests {
    /// A machine that ticks every second and has done so twice.
    static func ticking() throws -> Periodic.State {
        var state = Periodic.initialState
        for event in [Periodic.Event.start(everyMilliseconds: 1_000), .tick, .tick] {
            _ = try Periodic.update(&state, event: event)
        }
        return state
    }

    @Test func `begins stopped`() {
        #expect(Periodic.initialState.everyMilliseconds == nil)
        #expect(Periodic.initialState.ticks == 0)
    }

    @Test(arguments: [Periodic.Event.stop, .tick])
    func `a stopped machine accepts only a start`(event: Periodic.Event) {
        var state = Periodic.initialState
        let refusal = #expect(throws: Rejection.self) {
            try Periodic.update(&state, event: event)
        }
        #expect(refusal?.accepts == ["start"])
        #expect(state == Periodic.initialState)
    }

    @Test func `ticks are numbered, across intervals, and restart after a stop`() throws {
        var state = try Self.ticking()
        #expect(state.ticks == 2)
        let changed = try Periodic.update(&state, event: .start(everyMilliseconds: 10)).1
        #expect(changed == .started(everyMilliseconds: 10))
        #expect(try Periodic.update(&state, event: .tick).1 == .tick(number: 3))
        #expect(try Periodic.update(&state, event: .stop).1 == .stopped(ticks: 3))
        #expect(state.everyMilliseconds == nil)
        _ = try Periodic.update(&state, event: .start(everyMilliseconds: 10))
        #expect(try Periodic.update(&state, event: .tick).1 == .tick(number: 1))
    }

    @Test(arguments: [Int.min, -1, 0, 9, 31_536_000_001, .max])
    func `an invalid interval is refused`(interval: Int) throws {
        for (before, accepts) in [
            (Periodic.initialState, ["start"]), (try Self.ticking(), ["start", "stop"]),
        ] {
            var state = before
            let refusal = #expect(throws: Rejection.self) {
                try Periodic.update(&state, event: .start(everyMilliseconds: interval))
            }
            #expect(refusal?.accepts == accepts)
            #expect(state == before)
        }
    }

    @Test(arguments: [10, 31_536_000_000])
    func `takes the shortest and the longest interval`(interval: Int) throws {
        var state = Periodic.initialState
        let output = try Periodic.update(&state, event: .start(everyMilliseconds: interval)).1
        #expect(output == .started(everyMilliseconds: interval))
    }

    @Test func `each tick is sent to the target, until it changes`() throws {
        var state = Periodic.initialState
        let start = Periodic.Event.start(
            everyMilliseconds: 50, to: "counter/c", event: "increment")
        let started = try BuiltInEffects.of(start, at: state, in: "periodic")
        #expect(started.count == 1, "nothing is sent before the first tick")
        _ = try Periodic.update(&state, event: start)
        #expect(state.to == "counter/c")
        #expect(try Self.sends(at: state) == [#""increment" to counter/c"#])
        _ = try Periodic.update(&state, event: .start(everyMilliseconds: 50, to: "turnstile/t"))
        #expect(try Self.sends(at: state) == [#""tick" to turnstile/t"#])
        _ = try Periodic.update(&state, event: .start(everyMilliseconds: 50))
        #expect(try Self.sends(at: state) == [])
        _ = try Periodic.update(&state, event: start)
        _ = try Periodic.update(&state, event: .stop)
        #expect(state.to == nil && state.event == nil)
    }

    /// The send of a tick.
    private static func sends(at state: Periodic.State) throws -> [String] {
        let effects = try BuiltInEffects.of(Periodic.Event.tick, at: state, in: "periodic")
        var parts = effects
        if case .all(let all)? = effects.first { parts = all }
        return parts.compactMap { effect in
            guard case .start(let run) = effect, case .send(let to, let event, 0) = run.work
            else { return nil }
            #expect(run.key.text == nil, "the next tick's send must not replace this one")
            return "\(event) to \(to)"
        }
    }

    @Test(arguments: ["", "counter", "/", "counter/", "/c", "a/b/c"])
    func `refuses a target that is no name of an instance`(to: String) throws {
        var state = try Self.ticking()
        let before = state
        let refusal = #expect(throws: Rejection.self) {
            try Periodic.update(&state, event: .start(everyMilliseconds: 50, to: to))
        }
        #expect(refusal?.accepts == ["start", "stop"])
        #expect(state == before)
    }

    @Test func `an event name without a target is refused`() {
        var state = Periodic.initialState
        #expect(throws: Rejection.self) {
            try Periodic.update(
                &state, event: .start(everyMilliseconds: 50, to: nil, event: "increment"))
        }
    }

    @Test func `asks for one tick after the other under one name`() throws {
        let start = Periodic.Event.start(everyMilliseconds: 50)
        for (event, after) in [(start, Int64(50)), (.tick, 1_000)] {
            let effects = try BuiltInEffects.of(event, at: Self.ticking(), in: "periodic")
            guard case .start(let run)? = effects.first, effects.count == 1 else {
                throw Rejection("\(event) asks for no tick")
            }
            #expect(run.work == .after(milliseconds: after, event: "tick"))
            #expect(run.key.text == "tick")
            #expect(run.policy == .replace)
        }
        let stopped = try BuiltInEffects.of(
            Periodic.Event.stop, at: Self.ticking(), in: "periodic")
        #expect(BuiltInEffects.summary(stopped) == #"cancel id("tick")"#)
    }
}
