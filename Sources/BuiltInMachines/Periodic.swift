public import Transducers

/// A timer that ticks again and again; its interval may change. The output of a tick is its number.
/// On request, each tick also sends an event to another instance.
///
/// Applying a tick schedules the next one. So two ticks are never closer than the interval, a late
/// tick delays all later ones, and after a downtime of the server at most one missed tick is made
/// up for.
public enum Periodic: EffectTransducer, InitialState {
    /// The allowed intervals in milliseconds: from 10 to one year.
    public static let intervals = 10...31_536_000_000

    /// The interval and the count; this machine never ends.
    public struct State: NonTerminal, Codable, Equatable, Sendable {
        /// Milliseconds between two ticks; `nil` while it is stopped.
        public var everyMilliseconds: Int?
        /// The number of ticks since the start.
        public var ticks = 0
        /// The instance that each tick is sent to, `machine/instance`; `nil` for none.
        public var to: String?
        /// The name of the event that is sent to it.
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

    /// The events of the timer.
    public enum Event: Codable, Equatable, Sendable {
        /// Starts ticking; the first tick comes after `everyMilliseconds`. Each tick sends
        /// `event`, by default `"tick"`, to the instance `to`, if one is given. If it ticks
        /// already, interval and event change, and the count continues.
        case start(everyMilliseconds: Int, to: String? = nil, event: String? = nil)
        /// Stops ticking.
        case stop
        /// The interval is over. A client may send it too: it is an early tick, and the next one
        /// comes an interval later. It isn't in `internalEvents`, because it states no fact of the
        /// outside, and a client may just as well send a `start` of ten milliseconds.
        case tick

        private enum StartCodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
            case to
            case event
        }
    }

    /// The outputs of the timer.
    public enum Output: Codable, Equatable, Sendable {
        /// It ticks with this interval.
        case started(everyMilliseconds: Int)
        /// A tick; the first is number 1.
        case tick(number: Int)
        /// It stopped, after `ticks` ticks.
        case stopped(ticks: Int)

        private enum StartedCodingKeys: String, CodingKey {
            case everyMilliseconds = "every_ms"
        }
    }

    /// Stopped.
    public static var initialState: State { State() }

    /// Starts, ticks and stops.
    ///
    /// - Throws: `Rejection` for an interval outside ``intervals``, for a `to` that isn't the name
    ///   of an instance, for an `event` without `to`, and for `stop` and `tick` while stopped.
    public static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, Output) {
        switch (event, state.everyMilliseconds) {
        case (.start(let interval, let to, let name), _):
            return try start(&state, every: interval, to: to, event: name)
        case (.tick, let interval?):
            // Can't overflow: 64 bits last for billions of years of the shortest interval.
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
        // Without an id, so that the next send doesn't replace one that still waits.
        return .parallel(nextTick(in: interval), .send(event, to: to))
    }

    private static func nextTick(in interval: Int) -> Effect {
        .after(.milliseconds(interval), id: "tick", .tick)
    }
}
