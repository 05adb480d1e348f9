public import Transducers

/// Ticks, in an interval that may change while it does. The output of a tick is its number.
///
/// The next tick is asked for when one is applied. So two ticks are never closer than the
/// interval, one that comes late makes all after it come as much later, and of a time in which the
/// server is down no more than one tick is made up for.
public enum Periodic: EffectTransducer, InitialState {
    /// The intervals that there are, in milliseconds: from 10 to those of a year.
    public static let intervals = 10...31_536_000_000

    /// How it ticks; this machine never ends.
    public struct State: NonTerminal, Codable, Equatable, Sendable {
        /// Milliseconds between two ticks; `nil` while it is stopped.
        public var everyMilliseconds: Int?
        /// How often it has ticked since it was started.
        public var ticks = 0

        /// Stopped.
        public init() {}

        private enum CodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
            case ticks
        }
    }

    /// What it can be told.
    public enum Event: Codable, Equatable, Sendable {
        /// Ticks from now on, the first time after so many milliseconds. Where it ticks already,
        /// the interval changes and the count goes on.
        case start(everyMilliseconds: Int)
        /// Doesn't tick any more.
        case stop
        /// The time has come. Sent by hand, it is a tick before its time, and the next one comes
        /// an interval after it.
        case tick

        private enum StartCodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
        }
    }

    /// What others learn.
    public enum Output: Codable, Equatable, Sendable {
        /// It ticks, in this interval.
        case started(everyMilliseconds: Int)
        /// A tick; the first is number 1.
        case tick(number: Int)
        /// It doesn't tick any more, after so many ticks.
        case stopped(ticks: Int)

        private enum StartedCodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
        }
    }

    /// Stopped.
    public static var initialState: State { State() }

    /// Starts, ticks and stops.
    ///
    /// - Throws: `Rejection` for an interval that there isn't, and for `stop` and `tick` where it
    ///   is stopped.
    public static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, Output) {
        switch (event, state.everyMilliseconds) {
        case (.start(let interval), let before):
            guard intervals.contains(interval) else {
                throw Rejection(
                    "every_ms is from \(intervals.lowerBound) to \(intervals.upperBound)",
                    accepts: before == nil ? ["start"] : ["start", "stop"])
            }
            if before == nil { state.ticks = 0 }
            state.everyMilliseconds = interval
            return (nextTick(in: interval), .started(everyMilliseconds: interval))
        case (.tick, let interval?):
            // 285 million years of the shortest interval fit.
            state.ticks += 1
            return (nextTick(in: interval), .tick(number: state.ticks))
        case (.stop, .some):
            state.everyMilliseconds = nil
            return (.cancel(id: "tick"), .stopped(ticks: state.ticks))
        case (.tick, nil), (.stop, nil):
            throw Rejection("it is stopped", accepts: ["start"])
        }
    }

    private static func nextTick(in interval: Int) -> Effect {
        .after(.milliseconds(interval), id: "tick", .tick)
    }
}
