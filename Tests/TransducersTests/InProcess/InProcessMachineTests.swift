import Testing
import Transducers

/// Events of a host and of its effects, while an action makes them wait.
@Suite("InProcessMachine: the order of sending", .timeLimit(.minutes(1)))
struct InProcessMachineTests {
    let doors = Doors()

    /// Awaits an action, beside a task that sends two notes when its doors are opened.
    func begin(_ sent: Signal, _ sentAgain: Signal) -> Lab.Event {
        let talking = Lab.Effect(operation: { doors, input in
            await doors.pass("talk")
            try input.send(.note("effect"))
            sent.fire()
            await doors.pass("talk again")
            try input.send(.note("effect again"))
            sentAgain.fire()
        })
        let acting = Lab.Effect(action: { doors in
            await doors.pass("act")
            return .note("acted")
        })
        return .does("begin", .parallel(talking, acting))
    }

    let expected = ["begin", "acted", "host", "effect", "host again", "effect again"]

    @Test func `a driver applies events in the order of sending`() async throws {
        let (sent, sentAgain) = (Signal(), Signal())
        let driver = SynchronousDriver<Lab>(initialState: Lab.State(), env: doors)
        try driver.send(begin(sent, sentAgain))
        try driver.send(.note("host"))
        await doors.open("talk")
        await sent.wait()
        try driver.send(.note("host again"))
        await doors.open("talk again")
        await sentAgain.wait()
        #expect(driver.waitingCount == 2)
        await doors.open("act")
        await until { driver.state.notes.count == expected.count }
        #expect(driver.state.notes == expected)
        #expect(driver.waitingCount == 0)
    }

    @Test func `an actor host applies events in the order of sending`() async throws {
        let (sent, sentAgain) = (Signal(), Signal())
        let host = ActorHost<Lab>(initialState: Lab.State(), env: doors)
        try await host.send(begin(sent, sentAgain))
        let first = Task { try await host.send(.note("host")) }
        await until { await host.waitingCount == 1 }
        await doors.open("talk")
        await sent.wait()
        let second = Task { try await host.send(.note("host again")) }
        await until { await host.waitingCount == 2 }
        await doors.open("talk again")
        await sentAgain.wait()
        await doors.open("act")
        try await first.value
        try await second.value
        await until { await host.state.notes.count == expected.count }
        #expect(await host.state.notes == expected)
    }

    @Test func `run applies events in the order of sending`() async throws {
        let (sent, sentAgain, notes) = (Signal(), Signal(), Notes<String>())
        let proxy = Lab.Proxy()
        let doors = doors
        let run = Task {
            try await Lab.run(
                initialState: Lab.State(), proxy: proxy, env: doors,
                output: Callback { notes.add($0) })
        }
        try proxy.send(begin(sent, sentAgain))
        await doors.visit("act")
        try proxy.send(.note("host"))
        await doors.open("talk")
        await sent.wait()
        try proxy.send(.note("host again"))
        await doors.open("talk again")
        await sentAgain.wait()
        await doors.open("act")
        await until { notes.values.count == expected.count }
        #expect(notes.values == expected)
        proxy.cancel()
        await #expect(throws: TransducerError.cancelled) { try await run.value }
    }

    @Test func `a waiting send that is cancelled leaves the order of the others`() async throws {
        let (sent, sentAgain) = (Signal(), Signal())
        let driver = SynchronousDriver<Lab>(initialState: Lab.State(), env: doors)
        try driver.send(begin(sent, sentAgain))
        try driver.send(.note("host"))
        await doors.open("talk")
        await sent.wait()
        let dropped = driver.send(.note("dropped"), tracking: .own)
        try driver.send(.note("host again"))
        dropped.cancel()
        await dropped.completion()
        #expect(driver.waitingCount == 2)
        await doors.open("talk again")
        await sentAgain.wait()
        await doors.open("act")
        await until { driver.state.notes.count == expected.count }
        #expect(driver.state.notes == expected)
    }

    @Test func `events that wait when the action ends the machine are refused`() async throws {
        let driver = SynchronousDriver<Lab>(initialState: Lab.State(), env: doors)
        let acting = Lab.Effect(action: { doors in
            await doors.pass("act")
            return .note("end")
        })
        try driver.send(.does("begin", acting))
        let waiting = driver.send(.note("late"), tracking: .own)
        await doors.open("act")
        let errors = await waiting.errors
        #expect(errors.map { $0 as? TransducerError } == [.ended])
        #expect(driver.state.notes == ["begin", "end"])
    }
}
