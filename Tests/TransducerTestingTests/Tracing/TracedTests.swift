import Testing
import TransducerTesting
import Transducers

@Suite("RunOptions: traced")
struct TracedTests {
    actor Home {
        private(set) var lines: [String] = []

        func run() async throws {
            let proxy = Door.Proxy()
            let options = RunOptions<Door>(
                clock: VirtualClock(), trace: { _ in self.assumeIsolated { $0.note() } }
            ).traced(by: TraceFormat(name: "door")) { line in
                self.assumeIsolated { $0.lines.append(line) }
            }
            try proxy.send(.open)
            try proxy.send(.opened)
            try proxy.send(.remove)
            try await Door.run(initialState: .closed, proxy: proxy, options: options)
        }

        private func note() { lines.append("*") }
    }

    @Test func `lines are written in commit order, after a trace that was there`() async throws {
        let home = Home()
        try await home.run()
        #expect(
            await home.lines == [
                "*",
                "[door] event: open",
                "[door] state:",
                "[door]     - Door.State.closed",
                "[door]     + Door.State.opening",
                "[door] output: Door.Output.creaks",
                "*",
                "[door] event: opened",
                "[door] state:",
                "[door]     - Door.State.opening",
                "[door]     + Door.State.open",
                "*",
                "[door] effect spring, run 1: started",
                "*",
                "[door] refused: opened",
                "[door] reason: not now",
                "*",
                "[door] event: remove",
                "[door] state:",
                "[door]     - Door.State.open",
                "[door]     + Door.State.removed",
                "[door] output: Door.Output.bangs",
                "*",
                "[door] effect spring, run 1: cancelled",
            ])
    }
}
