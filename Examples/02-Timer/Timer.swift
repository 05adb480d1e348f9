import Transducers

/// A stopwatch: an effect ticks until it is cancelled by its id.
enum Stopwatch: EffectTransducer {
    enum State: Terminable {
        case idle
        case running(laps: Int)
        case off
        var isTerminal: Bool { if case .off = self { true } else { false } }
    }
    enum Event { case start, tick, off }
    typealias Output = String

    static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, String) {
        switch (state, event) {
        case (.idle, .start):
            state = .running(laps: 0)
            return (.parallel(ticks, timeout), "started")
        case (.running(let laps), .tick) where laps < 2:
            state = .running(laps: laps + 1)
            return (nil, "lap \(laps + 1)")
        case (.running, .tick):
            // The last lap: no tick arrives after this.
            state = .idle
            let stop = Effect.parallel(.cancel(id: "ticks"), .cancel(id: "timeout"))
            return (.sequence(stop, .event(.off)), "stopped")
        case (.idle, .off), (.running, .off):
            state = .off
            return (nil, "switched off")
        default: throw Rejection("not now")
        }
    }

    /// A tick every 20 milliseconds, by the machine's clock.
    private static var ticks: Self.Effect {
        .stream(id: "ticks") { _, input, context in
            while true {
                try await context.sleep(for: .milliseconds(20))
                try input.send(.tick)
            }
        }
    }

    /// Switches the watch off later; the example cancels it before.
    private static var timeout: Self.Effect { .after(.seconds(60), id: "timeout", .off) }
}

@main struct Program {
    static func main() async throws {
        let proxy = Stopwatch.Proxy(initialEvent: .start)
        let last = try await Stopwatch.run(
            initialState: .idle, proxy: proxy, output: Callback { print($0) })
        print("it ended when it was", last)
    }
}
