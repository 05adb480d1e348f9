import CEL

/// An action of a definition.
struct Action: Sendable {
    indirect enum Kind: Sendable {
        case assign([Assignment])
        case raise(EventTemplate)
        case send(SendTemplate)
        case cancel(Literal)
        case emit(EventTemplate)
        case log(label: Literal?, value: Template)
        case choose([Branch])
        case foreach(Loop)
    }

    /// A value and its place in the context.
    struct Assignment: Sendable {
        let location: Location
        let value: Template
    }

    /// An event or output to make.
    struct EventTemplate: Sendable {
        let type: Literal
        let members: [Template.Member]
    }

    struct SendTemplate: Sendable {
        let event: EventTemplate
        var target: Literal?
        var via: Literal?
        var delay: Literal?
        var id: Identifier?
    }

    /// The id of a send or an invocation.
    enum Identifier: Sendable {
        case given(Literal)
        /// A made id, stored in the context.
        case made(Location)
    }

    struct Branch: Sendable {
        let condition: ChartExpression?
        let actions: [Action]
    }

    struct Loop: Sendable {
        let list: Template
        let item: LoopName
        let index: LoopName?
        let actions: [Action]
    }

    /// A member of the context that a loop sets.
    enum LoopName: Sendable {
        case member(CELKey)
        /// A name that can't be one, with the reason.
        case invalid(String)
    }

    let kind: Kind
    /// The JSON path.
    let path: String
}
