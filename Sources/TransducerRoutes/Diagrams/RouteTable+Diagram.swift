/// The diagram of a table.
public typealias RouteDiagram = StateDiagram

extension RouteTable {
    /// Draws the table.
    ///
    /// Routes are drawn as declared: "any state" is a separate node, guards are in brackets, a step
    /// that stays is a loop. Nested regions are drawn around their states. Mappings and requests
    /// are closures: if all states and events are known, they are drawn exactly, else as arrows
    /// from any state to a computed one.
    ///
    /// - Parameters:
    ///   - initial: The initial state; `nil` leaves it out.
    ///   - states: All states; `nil` for those of a `CaseIterable` type, else those of the routes.
    ///   - events: All events; `nil` for those of a `CaseIterable` type.
    public func diagram(
        initial: State? = nil, states: [State]? = nil, events: [Event]? = nil
    ) -> StateDiagram {
        var drawing = RouteDrawing(table: self, prefix: "")
        drawing.draw(
            states: states ?? storage.allStates, events: events ?? storage.allEvents)
        drawing.diagram.initial = initial.map { drawing.node(for: $0) }
        return drawing.diagram
    }
}

extension RouteEdge {
    /// Whether a closure computes the destination.
    var isComputed: Bool {
        switch origin {
        case .request, .mapping, .stateMapping: true
        case .route, .region: false
        }
    }

    /// The arrow between two nodes: with the trigger, the guard, and the closure that computed it.
    func link(from: String, to: String) -> StateDiagram.Link {
        let event =
            switch trigger {
            case .event(.any): isComputed ? "" : "any event"
            case .event(.some(let event)): RouteLabel.of(event)
            case .move: "move"
            }
        let closure: String? =
            switch origin {
            case .request(let name), .mapping(let name), .stateMapping(let name): name
            case .route, .region: nil
            }
        let kind: StateDiagram.Link.Kind =
            isComputed ? .computed : trigger == .move ? .move : .event
        return StateDiagram.Link(
            from: from, to: to, kind, event: event,
            condition: isGuarded ? guardName ?? "guarded" : nil, note: closure)
    }
}
