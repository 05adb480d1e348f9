import Observation
import Testing
import Transducers

/// `ObservableTransducer`, as Oak's users make and use it.
@MainActor
@Suite("Observable machines", .timeLimit(.minutes(1)))
struct OakObservableTests {
    enum Lamp: Transducer {
        enum State: NonTerminal { case off, on }
        enum Event { case toggle }
        static func update(_ state: inout State, event: Event) {
            state = state == .off ? .on : .off
        }
    }

    enum Meter: Transducer {
        enum State: Terminable, Equatable {
            case at(Int), finished
            var isTerminal: Bool { self == .finished }
        }
        enum Event { case step, finish }
        static func update(_ state: inout State, event: Event) -> Int {
            guard case .at(let count) = state else { return -1 }
            state = event == .step ? .at(count + 1) : .finished
            return event == .step ? count + 1 : count
        }
    }

    enum Echo: EffectTransducer {
        enum State: Terminable {
            case idle, calling, answered
            var isTerminal: Bool { self == .answered }
        }
        enum Event { case call, answer }
        static func update(_ state: inout State, event: Event) -> Self.Effect? {
            switch event {
            case .call:
                state = .calling
                return Effect(id: "call") { _, input in try input.send(.answer) }
            case .answer:
                state = .answered
                return nil
            }
        }
    }

    @Test func `it is made in all the forms that Oak has`() {
        let lamp = ObservableTransducer<Lamp>(initialState: .off)
        #expect(lamp.isRunning)
        #expect(lamp.state == .off)
        #expect(ObservableTransducer<Lamp>.Output.self == Void.self)
        #expect(ObservableTransducer<Lamp>.Event.self == Lamp.Event.self)
        #expect(ObservableTransducer<Echo>.Env.self == Void.self)
        #expect(ObservableTransducer<Echo>.Proxy.self == Echo.Proxy.self)
        #expect(ObservableTransducer<Echo>.Input.self == Echo.Input.self)

        _ = ObservableTransducer<Lamp>(initialState: .off, proxy: .init(), completion: nil)
        _ = ObservableTransducer(of: Lamp.self, initialState: .off, proxy: nil)
        _ = ObservableTransducer(
            of: Lamp.self, initialState: .off, completion: .init({ _ in }))
        _ = ObservableTransducer(
            of: Meter.self, initialState: .at(0), proxy: .init(), output: Callback({ _ in }),
            completion: nil)
        _ = ObservableTransducer<Meter>(
            of: Meter.self, initialState: .at(0), output: NoCallback())
        _ = ObservableTransducer(
            of: Echo.self, initialState: .idle, proxy: .init(), env: Void(), completion: nil)
        _ = ObservableTransducer<Echo>(initialState: .idle, env: Void())
        _ = ObservableTransducer(
            of: Echo.self, initialState: .idle, proxy: .init(), env: Void(),
            output: Callback { _ in }, completion: .init { _ in })
        _ = ObservableTransducer(of: Echo.self, initialState: .idle) { _ in }
    }

    @Test func `its state changes can be observed`() async throws {
        let lamp = ObservableTransducer<Lamp>(initialState: .off)
        for expected in [Lamp.State.on, .off, .on] {
            let changed = Signal()
            withObservationTracking {
                _ = lamp.state
            } onChange: {
                changed.fire()
            }
            try lamp.proxy.send(.toggle)
            await changed.wait()
            // The observer is called before the change.
            await until { lamp.state == expected }
        }
        lamp.cancel()
    }

    @Test func `its end can be observed`() async throws {
        let ended = Signal()
        let meter = ObservableTransducer<Meter>(initialState: .at(0))
        withObservationTracking {
            _ = meter.isRunning
        } onChange: {
            ended.fire()
        }
        try meter.proxy.send(.finish)
        await ended.wait()
        await until { !meter.isRunning }
        #expect(meter.state == .finished)
    }

    @Test func `its outputs come in order`() async throws {
        let outputs = Notes<Int>()
        let meter = ObservableTransducer<Meter>(
            initialState: .at(10), output: Callback<Int> { outputs.add($0) })
        for _ in 1...3 { try meter.proxy.input.send(.step) }
        await until { outputs.values.count == 3 }
        #expect(outputs.values == [11, 12, 13])
        #expect(meter.state == .at(13))
    }

    @Test func `completion gets the last output, once, on the main actor`() async throws {
        typealias Completion = ObservableTransducer<Meter>.Completion
        let results = Notes<Int?>()
        let meter = ObservableTransducer(
            of: Meter.self, initialState: .at(4), proxy: Proxy(initialEvent: .finish),
            completion: Completion { result in
                MainActor.shared.assertIsolated()
                // A failure is no result, which is noted as well.
                results.add(try? result.get())
            })
        await until { !results.values.isEmpty }
        #expect(!meter.isRunning)
        #expect(meter.state == .finished)
        meter.cancel()
        meter.proxy.cancel()
        for _ in 1...20 { await Task.yield() }
        #expect(results.values == [4])
    }

    @Test func `completion is called at an effect machine's end`() async throws {
        let ended = Signal()
        let echo = ObservableTransducer(
            of: Echo.self, initialState: .idle, proxy: Proxy(initialEvent: .call), env: (),
            output: Callback { _ in },
            completion: .init { result in
                if case .success = result { ended.fire() }
            })
        await ended.wait()
        #expect(echo.state == .answered)
        #expect(!echo.isRunning)
    }

    @Test(arguments: [true, false])
    func `completion is called on cancellation, and the state stays`(byProxy: Bool) async throws {
        let errors = Notes<TransducerError?>()
        let meter = ObservableTransducer(
            of: Meter.self, initialState: .at(0), output: NoCallback(),
            completion: { result in
                if case .failure(let error) = result { errors.add(error as? TransducerError) }
            })
        try meter.proxy.send(.step)
        await until { meter.state == .at(1) }
        if byProxy { meter.proxy.cancel() } else { meter.cancel() }
        await until { !meter.isRunning }
        #expect(errors.values == [.cancelled])
        #expect(meter.state == .at(1))
        #expect(throws: TransducerError.ended) { try meter.proxy.send(.step) }
    }

    @Test func `dropping it ends the machine with a cancellation error`() async throws {
        let errors = Notes<Bool>()
        weak var dropped: ObservableTransducer<Lamp>?
        do {
            let lamp = ObservableTransducer<Lamp>(
                initialState: .off,
                completion: .init { result in
                    if case .failure(let error) = result { errors.add(error is CancellationError) }
                })
            dropped = lamp
            try lamp.proxy.send(.toggle)
            await until { lamp.state == .on }
        }
        await until { !errors.values.isEmpty }
        #expect(errors.values == [true])
        #expect(dropped == nil)
    }

    @Test func `dropping it interrupts a callback`() async throws {
        let interrupted = Signal()
        let called = Signal()
        let errors = Notes<Bool>()
        do {
            let meter = ObservableTransducer<Meter>(
                initialState: .at(0),
                output: Callback { _ in
                    called.fire()
                    try await sleepUntilCancelled(then: interrupted)
                },
                completion: .init { result in
                    if case .failure(let error) = result { errors.add(error is CancellationError) }
                })
            try meter.proxy.send(.step)
            await called.wait()
        }
        await interrupted.wait()
        await until { !errors.values.isEmpty }
        #expect(errors.values == [true])
    }

    enum Stuck: EffectTransducer {
        enum State: NonTerminal { case start, active }
        enum Event { case activate, tick }
        struct Env: Sendable { let called = Signal(), interrupted = Signal() }
        static func update(_ state: inout State, event: Event) -> Self.Effect? {
            guard event == .activate else { return nil }
            state = .active
            return Effect { env, isolated in
                env.called.fire()
                try await sleepUntilCancelled(then: env.interrupted)
                return .tick
            }
        }
    }

    @Test func `dropping it interrupts an action`() async throws {
        let env = Stuck.Env()
        let ended = Signal()
        weak var dropped: ObservableTransducer<Stuck>?
        do {
            let stuck = ObservableTransducer<Stuck>(
                initialState: .start, env: env, completion: .init { _ in ended.fire() })
            dropped = stuck
            try stuck.proxy.send(.activate)
            await env.called.wait()
        }
        await env.interrupted.wait()
        await ended.wait()
        #expect(dropped == nil)
    }
}
