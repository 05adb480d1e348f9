import Synchronization
import TransducerRoutes

/// Four states, with the numbers that the behavior tests use.
enum Stop: StateType, NonTerminal, CaseIterable, Codable {
    case s0, s1, s2, s3
}

/// Three events.
enum Call: EventType, CaseIterable, Codable {
    case go, back, jump
}

typealias StopTable = RouteTable<Stop, Call, String>

/// A counter for guards, which may run on any thread.
final class Count: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    func increment() { count.withLock { $0 += 1 } }
}

/// A switch that guards can read.
final class Switch: Sendable {
    private let state = Mutex(false)

    var isOn: Bool { state.withLock { $0 } }

    func turnOn() { state.withLock { $0 = true } }
}

extension RouteTable {
    /// Returns the state after one event, or `nil` if it is refused.
    func go(_ event: Event, from state: State) -> State? {
        var state = state
        // Other tests check the reason of a refusal.
        return (try? step(&state, event: event)) == nil ? nil : state
    }

    /// Returns the refusal of an event; `nil` if there is none.
    func refusal(of event: Event, from state: State) -> RouteRefusal<State, Event>? {
        var state = state
        do {
            _ = try step(&state, event: event)
            return nil
        } catch {
            return error
        }
    }
}
