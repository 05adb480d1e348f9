import TransducerRoutes

/// A gate as a table of routes.
enum Gate: RoutedTransducer {
    enum State: StateType, NonTerminal, CaseIterable { case locked, unlocked, broken }
    enum Event: EventType, CaseIterable { case coin, push, kick, repair }
    enum Sound: Sendable { case click, thud, crash }
    typealias Output = [Sound]

    static let routes = RouteTable<State, Event, Sound> { table in
        table.on(.coin, .locked => .unlocked) { _ in .output(.click) }
        table.on(.push, .unlocked => .locked)
        table.on(.kick, .any => .broken) { _ in .output(.crash) }
        // More specific than the `.kick` route above, so it has precedence.
        table.on(.kick, .broken => .broken) { _ in .output(.thud) }
        table.on(.repair, .broken => .locked)
    }
}

@main struct Program {
    static func main() throws {
        let gate = SynchronousDriver(of: Gate.self, initialState: .locked)
        let events: [Gate.Event] = [.coin, .coin, .push, .kick, .kick, .push, .repair]
        for event in events {
            do {
                let sounds = try gate.outputs(of: event).flatMap { $0 }.map { ", \($0)" }
                print("\(event): \(gate.state)\(sounds.joined())")
            } catch let refusal as Rejection {
                print("\(event): \(refusal.reason); do \(refusal.accepts)")
            }
        }

        let analysis = Gate.routes.analysis(from: [.locked])
        print("unreachable:", analysis.unreachable, "dead ends:", analysis.deadEnds)
        print(Gate.routes.diagram(initial: .locked).mermaid, terminator: "")
    }
}
