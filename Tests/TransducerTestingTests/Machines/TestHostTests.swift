import Testing
import Transducers

@testable import TransducerTesting

@Suite("TestHost and MachineLog")
struct TestHostTests {
    let log = MachineLog<Door>()
    let executor = TestExecutor()
    let proxy = Door.Proxy()

    func run(from state: Door.State) async {
        let host = TestHost(
            executor: executor, log: log, state: state, env: (), clock: VirtualClock(), seed: 0,
            immediateEventsMax: 10)
        await host.run(proxy: proxy)
    }

    /// The entries as text, in order.
    func entries() -> [String] {
        log.removeAll().map { entry in
            switch entry {
            case .record(.applied(let event, _, let after, _)): "\(event): \(after)"
            case .record(let record): "\(record)"
            case .answer(let verdict): "answer \(verdict)"
            case .end(let error): error.map { "end: \($0)" } ?? "end"
            }
        }
    }

    @Test func `a machine is run to its end, and the log has all of it once`() async throws {
        #expect(!log.hasBegun)
        try proxy.channel.send(.open, answer: { [log] in log.append(.answer($0)) })
        try proxy.send(.remove)
        await run(from: .closed)
        #expect(log.hasBegun)
        let all = entries()
        #expect(all.prefix(2) == ["open: opening", "opened: open"])
        #expect(all.contains("answer applied"))
        #expect(all.suffix(3).first == "remove: removed")
        #expect(all.last == "end")
        #expect(entries() == [])
    }

    @Test func `the error that ends a run is logged`() async {
        proxy.cancel()
        await run(from: .closed)
        #expect(entries() == ["end: the machine was cancelled"])
        #expect(log.hasBegun)
    }
}
