public import Transducers

/// Ticks, in an interval that may change while it does. The output of a tick is its number. If it
/// is told to, it sends an event to another instance with each of them.
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
        /// The instance that each tick is sent to, `machine/instance`; `nil` for none.
        public var to: String?
        /// The name of the event that is sent there.
        public var event: String?

        /// Stopped.
        public init() {}

        private enum CodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
            case ticks
            case to
            case event
        }
    }

    /// What it can be told.
    public enum Event: Codable, Equatable, Sendable {
        /// Ticks from now on, the first time after so many milliseconds, and sends an event of
        /// this name `to` an instance each time, if that is given; `"tick"` if none is named. Where
        /// it ticks already, the interval and what is sent change, and the count goes on.
        case start(everyMilliseconds: Int, to: String? = nil, event: String? = nil)
        /// Doesn't tick any more.
        case stop
        /// The time has come. Sent by hand, it is a tick before its time, and the next one comes
        /// an interval after it. So it isn't among `internalEvents`: it states no fact of the
        /// outside, and whoever may send it may as well send a `start` of ten milliseconds.
        case tick

        private enum StartCodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
            case to
            case event
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
    /// - Throws: `Rejection` for an interval that there isn't, for a `to` that is no name of an
    ///   instance or is missing where there is an `event`, and for `stop` and `tick` where it is
    ///   stopped.
    public static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, Output) {
        switch (event, state.everyMilliseconds) {
        case (.start(let interval, let to, let name), _):
            return try start(&state, every: interval, to: to, event: name)
        case (.tick, let interval?):
            // 285 million years of the shortest interval fit.
            state.ticks += 1
            return (tick(state, interval), .tick(number: state.ticks))
        case (.stop, .some):
            state.everyMilliseconds = nil
            (state.to, state.event) = (nil, nil)
            return (.cancel(id: "tick"), .stopped(ticks: state.ticks))
        case (.tick, nil), (.stop, nil):
            throw Rejection("it is stopped", accepts: ["start"])
        }
    }

    private static func start(
        _ state: inout State, every interval: Int, to: String?, event: String?
    ) throws(Rejection) -> (Self.Effect?, Output) {
        let accepts = state.everyMilliseconds == nil ? ["start"] : ["start", "stop"]
        guard intervals.contains(interval) else {
            throw Rejection(
                "every_ms is from \(intervals.lowerBound) to \(intervals.upperBound)",
                accepts: accepts)
        }
        let parts = to?.split(separator: "/", omittingEmptySubsequences: false)
        guard to != nil || event == nil, parts.map({ $0.count == 2 && !$0.contains("") }) ?? true
        else { throw Rejection("to is machine/instance", accepts: accepts) }
        if state.everyMilliseconds == nil { state.ticks = 0 }
        state.everyMilliseconds = interval
        state.to = to
        state.event = to == nil ? nil : event ?? "tick"
        return (nextTick(in: interval), .started(everyMilliseconds: interval))
    }

    private static func tick(_ state: State, _ interval: Int) -> Effect {
        guard let to = state.to, let event = state.event else { return nextTick(in: interval) }
        // Without an id: a send that still has to wait isn't replaced by the next one.
        return .parallel(nextTick(in: interval), .send(event, to: to))
    }

    private static func nextTick(in interval: Int) -> Effect {
        .after(.milliseconds(interval), id: "tick", .tick)
    }
}
