import Dispatch
import Testing
import Transducers

@Suite("SynchronousDriver", .timeLimit(.minutes(1)))
struct SynchronousDriverTests {
    @Test func `applies an event in the call that sends it`() throws {
        let driver = SynchronousDriver(of: Tally.self, initialState: .counting(0))
        try driver.send(.increment)
        try driver.send(.increment)
        #expect(driver.state == .counting(2))
        #expect(try driver.outputs(of: .increment) == [3])
    }

    @Test func `a refused event throws what update threw`() throws {
        let driver = SynchronousDriver(of: Tally.self, initialState: .counting(0))
        #expect(throws: Rejection.self) { try driver.send(.refuse) }
        #expect(throws: Tally.Broken.self) { try driver.send(.fail) }
        #expect(driver.state == .counting(0))
    }

    @Test func `outputs(of:) returns all outputs, however many`() throws {
        for max in [5_000, nil] {
            let driver = SynchronousDriver<Lab>(
                initialState: Lab.State(), env: Doors(),
                options: RunOptions<Lab>(immediateEventsMax: max))
            let notes = (1...3_000).map { "\($0)" }
            let event = Lab.Event.does("0", .events(notes.map { .note($0) }))
            #expect(try driver.outputs(of: event) == ["0"] + notes)
        }
    }

    @Test func `a finished machine takes no more events`() throws {
        let driver = SynchronousDriver(of: Tally.self, initialState: .counting(0))
        try driver.send(.finish)
        #expect(throws: TransducerError.ended) { try driver.send(.increment) }
        #expect(throws: TransducerError.ended) { try driver.outputs(of: .increment) }
    }

    @Test func `eight threads, every event counted`() async throws {
        let outputs = Recorder<Int>()
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let driver = SynchronousDriver(
            of: Tally.self, initialState: .counting(0), output: { continuation.yield($0) })
        let perThread = 2_000
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await value in stream { await outputs.append(value) }
            }
            await withCheckedContinuation { done in
                DispatchQueue.global().async {
                    DispatchQueue.concurrentPerform(iterations: 8) { _ in
                        for _ in 0..<perThread { try? driver.send(.increment) }
                    }
                    continuation.finish()
                    done.resume()
                }
            }
        }
        #expect(driver.state == .counting(8 * perThread))
        // One thread at a time delivers, so the outputs are in order.
        #expect(await outputs.values == Array(1...8 * perThread))
    }

    @Test func `eight threads with effects, every event counted`() async throws {
        let driver = SynchronousDriver<Lab>(
            initialState: Lab.State(), env: Doors(),
            options: RunOptions<Lab>(immediateEventsMax: 10))
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<100 {
                        let results = driver.send(
                            .does(
                                "\(thread)", .run { _, _ in .note("\(thread).\(number)") }),
                            tracking: .tree)
                        await results.completion()
                    }
                }
            }
        }
        #expect(driver.state.notes.count == 1_600)
        #expect(Set(driver.state.notes).count == 808)
    }

    @Test func `an output's callback may send`() throws {
        final class Echo: Sendable {
            let driver: SynchronousDriver<Tally>
            init() {
                // Set once, before the first event.
                nonisolated(unsafe) var echo: Echo?
                driver = SynchronousDriver(
                    of: Tally.self, initialState: .counting(0),
                    output: { value in if value < 5 { try? echo?.driver.send(.increment) } })
                echo = self
            }
        }
        let echo = Echo()
        try echo.driver.send(.increment)
        #expect(echo.driver.state == .counting(5))
    }

    @Test func `events wait during an action, up to the inbox's bound`()
        async throws
    {
        let doors = Doors()
        let driver = SynchronousDriver<Lab>(initialState: Lab.State(), env: doors, inboxSize: 2)
        let acting = driver.send(
            .does(
                "act",
                Lab.Effect(action: { doors in
                    await doors.pass("act")
                    return .note("acted")
                })), tracking: .tree)
        await doors.visit("act")
        try driver.send(.note("1"))
        try driver.send(.note("2"))
        #expect(throws: TransducerError.bufferFull(capacity: 2)) { try driver.send(.note("3")) }
        #expect(driver.waitingCount == 2)
        await doors.open("act")
        await acting.completion()
        while driver.waitingCount > 0 { await Task.yield() }
        #expect(driver.state.notes == ["act", "acted", "1", "2"])
    }

    @Test func `completion is called once: at the end, by cancel, or by release`() async {
        let told = Recorder<String>()
        func make() -> SynchronousDriver<Tally> {
            SynchronousDriver(
                of: Tally.self, initialState: .counting(0),
                completion: { result in
                    let text =
                        switch result {
                        case .success(let output): "\(output)"
                        case .failure(let error): "\(error)"
                        }
                    Task { await told.append(text) }
                })
        }
        let ends = make()
        try? ends.send(.finish)
        ends.cancel()
        let cancelled = make()
        cancelled.cancel()
        cancelled.cancel()
        _ = make()
        while await told.values.count < 3 { await Task.yield() }
        let cancellation = TransducerError.cancelled.description
        #expect(await told.values.sorted() == ["0", cancellation, cancellation])
    }

    /// A driver of the lab that others can ask from wherever they are called.
    final class Box: Sendable {
        private let held = Notes<SynchronousDriver<Lab>>()
        var driver: SynchronousDriver<Lab>? { held.values.first }

        init(options: (Box) -> RunOptions<Lab> = { _ in RunOptions<Lab>() }) {
            held.add(
                SynchronousDriver<Lab>(
                    initialState: Lab.State(), env: Doors(), options: options(self)))
        }

        /// Sends from a thread of its own: a call that never returns holds nobody up.
        func send(_ event: Lab.Event, then done: Signal) {
            DispatchQueue.global().async {
                try? self.driver?.send(event)
                done.fire()
            }
        }
    }

    @Test func `a cancellation handler may use the driver`() async throws {
        let (box, listening, sent) = (Box(), Signal(), Signal())
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { _ in
            let count = box.driver?.state.notes.count ?? 0
            try? box.driver?.send(.note("stopped after \(count)"))
        }
        let listens = Lab.Effect.fireAndForget(id: "ears") { _, _ in
            listening.fire()
            for await _ in stream {}
        }
        try box.driver?.send(.does("listen", listens))
        await listening.wait()
        box.send(.does("hush", .cancel(id: "ears")), then: sent)
        await until { sent.isFired }
        #expect(box.driver?.state.notes == ["listen", "hush", "stopped after 2"])
    }

    @Test func `a cancellation handler of the driver may use the driver`() async throws {
        let (box, listening, asked) = (Box(), Signal(), Signal())
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        continuation.onTermination = { _ in
            if box.driver?.state.notes == ["listen"] { asked.fire() }
        }
        let listens = Lab.Effect(action: { _ in
            listening.fire()
            for await _ in stream {}
            return []
        })
        try box.driver?.send(.does("listen", listens))
        await listening.wait()
        DispatchQueue.global().async { box.driver?.cancel() }
        await until { asked.isFired }
    }

    @Test func `values that a closure releases may use the driver`() async throws {
        struct Line: EffectQueue {
            var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
        }
        /// Asks the driver when nobody holds it any more.
        final class Watcher: Sendable {
            let box: Box
            let gone: Signal
            init(box: Box, gone: Signal) { (self.box, self.gone) = (box, gone) }
            deinit {
                if box.driver?.state.notes == ["one", "two", "stop"] { gone.fire() }
            }
        }
        let (box, gone, sent) = (Box(), Signal(), Signal())
        try box.driver?.send(.does("one", Lab.task("never", queue: Line())))
        func waiting() -> Lab.Effect {
            let watcher = Watcher(box: box, gone: gone)
            return .fireAndForget(id: "two", queue: Line()) { _, _ in
                withExtendedLifetime(watcher) {}
            }
        }
        try box.driver?.send(.does("two", waiting()))
        box.send(.does("stop", .cancel(id: "two")), then: sent)
        await until { sent.isFired }
        #expect(gone.isFired)
        box.driver?.cancel()
    }

    @Test func `a trace may use the driver`() async throws {
        let (lines, sent) = (Notes<String>(), Signal())
        let box = Box { box in
            RunOptions<Lab>(trace: { record in
                guard case .applied(.note(let text), _, _, _) = record else { return }
                lines.add("\(text): \(box.driver?.state.notes.count ?? 0)")
                if text == "first" { try? box.driver?.send(.note("second")) }
            })
        }
        box.send(.note("first"), then: sent)
        await until { sent.isFired }
        #expect(lines.values == ["first: 1", "second: 2"])
    }
}
