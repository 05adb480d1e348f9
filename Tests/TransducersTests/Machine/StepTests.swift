import Testing
import Transducers

/// Immediate events of every shape.
enum Chains: EffectTransducer {
    struct State: Terminable, Equatable {
        var count = 0
        var cells: [String] = []
        var isTerminal = false
    }
    enum Event: Sendable {
        case chain(Int), endless, endlessByAction, finish, tick
        case rows(Int, Int), cell(Int, Int, Int)
        case refuseLate, refuse, finishEarly
    }
    typealias Output = Int

    static func update(_ state: inout State, event: Event) throws -> (Effect?, Int) {
        state.count += 1
        switch event {
        case .chain(let left):
            return (left > 0 ? .event(.chain(left - 1)) : nil, state.count)
        case .endless: return (.event(.endless), state.count)
        case .endlessByAction:
            return (Effect(action: { _ in .endlessByAction }), state.count)
        case .finish: state.isTerminal = true
        case .tick: break
        case .rows(let rows, let columns):
            guard columns > 0 else { break }
            return (.events((0..<rows).map { .cell($0, 0, columns) }), state.count)
        case .cell(let row, let column, let columns):
            state.cells.append("\(row)\(column)")
            return (
                column + 1 < columns ? .event(.cell(row, column + 1, columns)) : nil,
                state.count
            )
        case .refuseLate: return (.events([.tick, .refuse]), state.count)
        case .refuse: throw Rejection("never")
        case .finishEarly: return (.events([.tick, .finish, .tick]), state.count)
        }
        return (nil, state.count)
    }
}

/// A state that can be looked at after the run.
final class KeptState<Value>: Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
}

@Suite("One step")
struct StepTests {
    func run(
        _ events: Chains.Event..., options: RunOptions<Chains> = RunOptions()
    ) async throws -> (state: Chains.State, report: RunReport, outputs: [Int]) {
        let box = KeptState(Chains.State())
        let proxy = Chains.Proxy(bufferSize: 16)
        for event in events { try proxy.send(event) }
        let outputs = Recorder<Int>()
        try await Chains.run(
            storage: box, proxy: proxy, output: Callback { await outputs.append($0) },
            options: options)
        return (box.value, proxy.report, await outputs.values)
    }

    @Test func `chain of 1,000 immediate events before one queued external event`() async throws {
        let (state, report, outputs) = try await run(.chain(1_000), .finish)
        #expect(state.count == 1_002)
        #expect(outputs == Array(1...1_002))
        #expect(report.refusedCount == 0)
    }

    @Test func `endless chain refused, state as before`() async throws {
        let (state, report, outputs) = try await run(.tick, .endless, .finish)
        #expect(state.count == 2)
        #expect(outputs == [1, 2])
        #expect(report.refusedCount == 1)
    }

    @Test func `the sender of an endless chain gets an error`() async throws {
        let driver = SynchronousDriver(of: Chains.self, initialState: Chains.State())
        #expect(throws: TransducerError.immediateEventLimit(1_000)) {
            try driver.send(.endless)
        }
        #expect(driver.state.count == 0)
        try driver.send(.tick)
        #expect(driver.state.count == 1)
    }

    @Test func `double loop by feedback n×m in row order`() async throws {
        #expect(
            try await run(.rows(2, 3), .finish).state.cells
                == ["00", "01", "02", "10", "11", "12"])
        #expect(try await run(.rows(0, 3), .rows(3, 0), .finish).state.cells == [])
    }

    @Test func `a refusal late in a chain refuses the whole event`() async throws {
        let (state, _, outputs) = try await run(.refuseLate, .finish)
        #expect(state.count == 1)
        #expect(outputs == [1])
    }

    @Test func `immediate events after the terminal one are not processed`() async throws {
        #expect(try await run(.finishEarly).state.count == 3)
    }

    @Test func `a million immediate events neither recurse nor grow`() async throws {
        let box = KeptState(Chains.State())
        let proxy = Chains.Proxy()
        try proxy.send(.chain(1_000_000))
        try proxy.send(.finish)
        try await Chains.run(
            storage: box, proxy: proxy, options: RunOptions(immediateEventsMax: nil))
        #expect(box.value.count == 1_000_002)
    }

    @Test func `without a bound, outputs are delivered on the way`() async throws {
        let (state, _, outputs) = try await run(
            .chain(5_000), .finish, options: RunOptions(immediateEventsMax: nil))
        #expect(state.count == 5_002)
        #expect(outputs == Array(1...5_002))
    }

    @Test func `output 0 at creation`() async throws {
        enum Moore: Transducer {
            enum State: Terminable {
                case on, off
                var isTerminal: Bool { self == .off }
            }
            enum Event: Sendable { case switchOff }
            static func initialOutput(initialState: State) -> String? { "\(initialState)" }
            static func update(_ state: inout State, event: Event) -> String {
                state = .off
                return "off"
            }
        }
        let outputs = Recorder<String>()
        try await Moore.run(
            initialState: .on, proxy: Moore.Proxy(initialEvent: .switchOff),
            output: Callback { await outputs.append($0) })
        #expect(await outputs.values == ["on", "off"])
        // A terminal initial state is a finished machine; its result is the initial output.
        #expect(try await Moore.run(initialState: .off) == "off")
    }

    @Test func `late and queued events of a finished machine are answered`() async throws {
        let host = ActorHost(of: Chains.self, initialState: Chains.State())
        try await host.send(.finish)
        await #expect(throws: TransducerError.ended) { try await host.send(.tick) }
        let proxy = Chains.Proxy()
        try proxy.send(.finish)
        let queued = Task { try await proxy.input.sendAndWait(.tick) }
        while proxy.waitingCount < 2 { await Task.yield() }
        try await Chains.run(initialState: Chains.State(), proxy: proxy)
        #expect(try await queued.value == .notApplied(.ended))
    }

    @Test func `stop answers queued events`() async throws {
        let proxy = Chains.Proxy()
        let queued = Task { try await proxy.input.sendAndWait(.tick) }
        while proxy.waitingCount < 1 { await Task.yield() }
        proxy.cancel()
        #expect(try await queued.value == .notApplied(.cancelled))
    }
}

@Suite("The end of a machine")
struct EndTests {
    let doors = Doors()

    @Test func `a terminal transition's effect runs once, its result isn't applied`() async throws {
        let proxy = Lab.Proxy()
        try proxy.send(.does("end", Lab.task("last")))
        let doors = doors
        let run = Task {
            let box = KeptState(Lab.State())
            let result = try await Lab.run(storage: box, proxy: proxy, env: doors)
            return (result, box.value.notes)
        }
        await doors.visit("last")
        await doors.open("last")
        let (result, notes) = try await run.value
        #expect(result == "end")
        #expect(notes == ["end"])
        #expect(await doors.passed == ["last"])
    }

    @Test func `other effects cancelled`() async throws {
        let proxy = Lab.Proxy()
        try proxy.send(
            .does(
                "go",
                .fireAndForget { doors, context in
                    await doors.pass("begun")
                    do {
                        try await context.sleep(for: .seconds(3_600))
                    } catch {
                        await doors.pass("cancelled")
                    }
                }))
        let doors = doors
        await doors.open("begun", "cancelled")
        let run = Task {
            try await Lab.run(initialState: Lab.State(), proxy: proxy, env: doors)
        }
        await doors.visit("begun")
        try proxy.send(.note("end"))
        #expect(try await run.value == "end")
        await doors.visit("cancelled")
    }

    @Test func `a host's machine ends the same way, and reports it once`() async throws {
        let doors = doors
        let told = Recorder<String>()
        let host = ActorHost<Lab>(
            initialState: Lab.State(), env: doors,
            completion: { result in Task { await told.append((try? result.get()) ?? "?") } })
        try await host.send(.does("end", Lab.task("last")))
        await #expect(throws: TransducerError.ended) { try await host.send(.note("late")) }
        await doors.open("last")
        #expect(try await host.result() == "end")
        await host.cancel()
        while await told.values.isEmpty { await Task.yield() }
        #expect(await told.values == ["end"])
        #expect(await host.state.notes == ["end"])
    }

    @Test func `cancelling a host answers all senders`() async throws {
        let doors = doors
        let host = ActorHost<Lab>(initialState: Lab.State(), env: doors)
        let results = await host.send(.does("go", Lab.task("never")), tracking: .tree)
        await doors.visit("never")
        await host.cancel()
        await results.completion()
        await #expect(throws: TransducerError.cancelled) { try await host.result() }
        await #expect(throws: TransducerError.ended) { try await host.send(.note("late")) }
        await doors.open("never")
    }
}
