import Synchronization
import TransducerRoutes

/// Four states, numbered as the behaviours tell of them.
enum Stop: StateType, NonTerminal, CaseIterable, Codable {
    case s0, s1, s2, s3
}

/// Three events.
enum Call: EventType, CaseIterable, Codable {
    case go, back, jump
}

typealias StopTable = RouteTable<Stop, Call, String>

/// A number that guards, which may run anywhere, can count up.
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
    /// The state behind one event, or `nil` for a refusal.
    func go(_ event: Event, from state: State) -> State? {
        var state = state
        // Why it was refused is a matter of other tests.
        return (try? step(&state, event: event)) == nil ? nil : state
    }

    /// The refusal of an event.
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
