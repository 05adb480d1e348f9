import TransducerRoutes
import Transducers

/// A counter that ends at a limit.
enum Count: Transducer {
    struct State: Terminable, Sendable {
        var count = 0
        var limit = Int.max
        var isTerminal: Bool { count >= limit }
    }
    enum Event: Sendable { case increment }

    static func update(_ state: inout State, event: Event) -> Int {
        state.count += 1
        return state.count
    }
}

/// Each event causes the next one.
enum Chain: EffectTransducer {
    typealias State = Count.State
    enum Event: Sendable { case next }

    static func update(_ state: inout State, event: Event) -> Effect? {
        state.count += 1
        return .event(.next)
    }
}

/// Asks for an effect that gives one event back.
enum RoundTrip: EffectTransducer {
    typealias State = Count.State
    enum Event: Sendable { case go, back }

    static func update(_ state: inout State, event: Event) -> Effect? {
        switch event {
        case .go: return .run { _, _ in .back }
        case .back:
            state.count += 1
            return .event(.go)
        }
    }
}

/// Two routes of two events.
enum Gate: RoutedTransducer {
    enum State: StateType, NonTerminal { case locked, unlocked }
    enum Event: EventType { case coin, push }

    static let routes = RouteTable<State, Event, Never> { table in
        table.on(.coin, .locked => .unlocked)
        table.on(.push, .unlocked => .locked)
    }
}

/// What everything is compared with: an actor that counts.
actor Counter {
    private(set) var count = 0

    func add(_ number: Int) { count += number }
}
