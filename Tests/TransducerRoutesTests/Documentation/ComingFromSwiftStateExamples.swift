import Testing
import TransducerRoutes

/// Grove's examples in the article for users of SwiftState.
@Suite("Article: Coming from SwiftState", .timeLimit(.minutes(1)))
struct ComingFromSwiftStateExamples {
    enum Place: StateType { case home, road, work }

    enum Trip: EventType { case leave, arrive }

    enum Whereabouts: StateType, NonTerminal { case home, road, work }

    enum Commute: RoutedTransducer {
        typealias State = Whereabouts
        typealias Event = Trip
        enum Said: Sendable { case stamped }
        typealias Output = Said?

        static let routes = RouteTable<State, Event, Said> { table in
            table.on(.leave, [.home, .work] => .road)
            table.on(.arrive, .road => .work) { _ in .output(.stamped) }
        }
    }

    @Test func `a state can be requested`() {
        let machine = StateMachine<Place, NoEvent>(state: .home) { machine in
            machine.addRoute(.home => .road)
            machine.addRoute(.road => [.home, .work])
            machine.addErrorHandler { context in print("no way to \(context.toState)") }
        }
        machine <- .road <- .work
        #expect(machine.state == .work)
        machine <- .home
        #expect(machine.state == .work)
    }

    @Test func `events are sent, and refused with a reason`() {
        let trip = Machine<Place, Trip>(state: .home) { machine in
            machine.addRoutes(event: .leave, transitions: [.home => .road, .work => .road])
            machine.addRoutes(event: .arrive, transitions: [.road => .work])
            machine.addHandler(event: .arrive) { context in print("at \(context.toState)") }
        }
        trip <-! .leave <-! .arrive
        #expect(trip.state == .work)
        let isTaken = trip.tryEvent(.arrive)
        let reason = trip.lastRefusal?.description
        #expect(!isTaken && reason == "no route for arrive in work; accepted: leave")
    }

    @Test func `a table agrees with an object`() throws {
        var state = Whereabouts.home
        #expect(try Commute.update(&state, event: .leave).1 == nil)
        #expect(try Commute.update(&state, event: .arrive).1 == .stamped)
    }
}
