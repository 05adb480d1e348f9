import Transducers

/// A machine that only waits: once, at an interval, or for the first day of each month.
enum Clockwork: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable {
        var schedule: Schedule?
        /// The number of times that its timer fired.
        var fired = 0
    }

    enum Schedule: Codable, Sendable, Equatable {
        case once(milliseconds: Int64)
        case every(milliseconds: Int64)
        case monthly
    }

    enum Event: Codable, Sendable {
        case start(Schedule)
        case fire
    }

    typealias Output = Int

    static let day: Int64 = 86_400_000
    /// The days per month of a year that begins in January.
    static let months: [Int64] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> (Effect?, Int) {
        switch event {
        case .start(let schedule):
            state.schedule = schedule
        case .fire: state.fired += 1
        }
        guard let schedule = state.schedule,
            let delay = wait(in: schedule, after: state.fired)
        else { return (nil, state.fired) }
        return (.after(.milliseconds(delay), id: "next", .fire), state.fired)
    }

    /// Returns the time until the next firing; `nil` if there is none.
    static func wait(in schedule: Schedule, after fired: Int) -> Int64? {
        switch schedule {
        case .once(let delay): fired == 0 ? delay : nil
        case .every(let interval): interval
        case .monthly: months[fired % months.count] * day
        }
    }
}
