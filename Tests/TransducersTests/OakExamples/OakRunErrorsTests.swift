import Testing
import Transducers

/// Failures of a run, and the errors of its proxy.
@Suite("Errors of a run", .timeLimit(.minutes(1)))
struct OakRunErrorsTests {
    enum Press: Transducer {
        struct State: Terminable {
            var sheets = 0
            var isTerminal = false
        }
        enum Event { case sheet, stop }
        static func update(_ state: inout State, event: Event) -> Int {
            switch event {
            case .sheet: state.sheets += 1
            case .stop: state.isTerminal = true
            }
            return state.sheets
        }
        static func initialOutput(initialState: State) -> Int? { initialState.sheets }
    }

    struct PaperJam: Error, Equatable { var sheet: Int }

    @Test(arguments: 0...3)
    func `a callback that throws ends the run with its error`(sheet: Int) async throws {
        let proxy = Press.Proxy()
        for event in [Press.Event.sheet, .sheet, .sheet, .stop] { try proxy.send(event) }
        let error = await #expect(throws: PaperJam.self) {
            try await Press.run(
                initialState: .init(), proxy: proxy,
                output: Callback { if $0 == sheet { throw PaperJam(sheet: sheet) } })
        }
        #expect(error == PaperJam(sheet: sheet))
        #expect(throws: TransducerError.ended) { try proxy.send(.sheet) }
        // Those that waited behind the event whose output wasn't taken.
        #expect(proxy.report.unappliedCount == 4 - sheet)
    }

    @Test func `a callback that throws at the last output ends the run with its error, too`()
        async throws
    {
        await #expect(throws: PaperJam(sheet: 5)) {
            try await Press.run(
                initialState: .init(sheets: 5), proxy: .init(initialEvent: .stop),
                output: Callback { _ in throw PaperJam(sheet: 5) })
        }
    }

    @MainActor
    @Test func `a sender that waits after a failing callback is answered`() async throws {
        let (proxy, called, mayFail) = (Press.Proxy(initialEvent: .sheet), Signal(), Signal())
        let task = Task {
            try await Press.run(
                initialState: .init(), proxy: proxy,
                output: Callback { sheet in
                    guard sheet == 1 else { return }
                    called.fire()
                    await mayFail.wait()
                    throw PaperJam(sheet: sheet)
                })
        }
        await called.wait()
        let input = proxy.input
        let verdict = Task { @MainActor in try await input.sendAndWait(.sheet) }
        // On this actor: when it is our turn again, the event has been sent.
        await Task.yield()
        mayFail.fire()
        await #expect(throws: PaperJam.self) { try await task.value }
        #expect(try await verdict.value == .notApplied(.ended))
    }

    @MainActor
    @Test func `one proxy can't run two machines at a time`() async throws {
        let proxy = Press.Proxy()
        let shelf = OakRunFormsTests.Shelf(Press.State())
        let task = Task { try await Press.run(storage: shelf, proxy: proxy) }
        try proxy.send(.sheet)
        await until { shelf.value.sheets == 1 }
        let error = await #expect(throws: TransducerError.self) {
            try await Press.run(initialState: .init(), proxy: proxy)
        }
        #expect(error == .proxyAlreadyInUse)
        try proxy.send(.stop)
        #expect(try await task.value == 1)
    }

    /// The ways in which a machine comes to its end.
    enum Ending: CaseIterable, Sendable { case terminal, cancelled, task, failed, initial }

    @MainActor
    @Test(arguments: Ending.allCases)
    func `a proxy can't run again`(after ending: Ending) async throws {
        let proxy = Press.Proxy()
        let task = Task {
            try await Press.run(
                initialState: .init(isTerminal: ending == .initial), proxy: proxy,
                output: Callback { _ in if ending == .failed { throw PaperJam(sheet: 0) } })
        }
        switch ending {
        case .terminal: try proxy.send(.stop)
        case .cancelled:
            await Task.yield()
            proxy.cancel()
        case .task:
            await Task.yield()
            task.cancel()
        case .failed, .initial: break
        }
        // How it ended is others' business.
        _ = await task.result
        let error = await #expect(throws: TransducerError.self) {
            try await Press.run(initialState: .init(), proxy: proxy)
        }
        #expect(error == .proxyAlreadyInUse)
        #expect(error?.description.contains("make a new one for each run") == true)
    }

    @Test func `a full buffer refuses the newest event, and says what to do`() async throws {
        let proxy = Press.Proxy(bufferSize: 2)
        try proxy.send(.sheet)
        try proxy.send(.sheet)
        let error = #expect(throws: TransducerError.self) {
            for _ in 0..<10 { try proxy.send(.stop) }
        }
        #expect(error == .bufferFull(capacity: 2))
        #expect(error?.description.contains("wait for room with enqueue") == true)
    }

    @Test func `a proxy is made in all the forms that Oak has`() throws {
        let (one, two) = (Press.Proxy(), Press.Proxy())
        #expect(one == one)
        #expect(one != two)
        #expect(one.id != two.id)
        #expect(throws: Never.self) { try one.send(.sheet) }
        for _ in 1...7 { try one.send(.sheet) }
        #expect(throws: TransducerError.bufferFull(capacity: 8)) { try one.send(.sheet) }
        _ = Transducers.Proxy<Int>(bufferSize: 1, initialEvent: 1)
        _ = Transducers.Proxy<Int>(initialEvent: 1)
        _ = Transducers.Proxy<Int>(bufferSize: 100)
    }

    @Test func `several tasks send to inputs at once`() async throws {
        let proxy = Press.Proxy(bufferSize: 100)
        let input = proxy.input
        async let result = Press.run(initialState: .init(), proxy: proxy)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { try input.send(.sheet) } }
            try await group.waitForAll()
        }
        try input.send(.stop)
        #expect(try await result == 50)
    }
}
