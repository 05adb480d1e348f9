import OrderedJSON

/// An event that a machine accepts, as clients write it.
public struct TakenEvent: Sendable, Hashable {
    /// The name and the values.
    public let event: EnumCase

    /// Whether only the machine's own effects send it.
    public let isInternal: Bool

    package init(event: EnumCase, isInternal: Bool) {
        self.event = event
        self.isInternal = isInternal
    }

    /// The events of a type, in the order of their declaration.
    static func all(_ events: [EnumCase]?, internal names: Set<String>) -> [TakenEvent]? {
        events?.map { TakenEvent(event: $0, isInternal: names.contains($0.name)) }
    }

    /// The events that clients may send, in words.
    static func choice(_ events: [TakenEvent]) -> String? {
        let words = events.filter { !$0.isInternal }.map { taken in
            let members = taken.event.members.map(\.name).joined(separator: ", ")
            return members.isEmpty ? taken.event.name : "\(taken.event.name) (\(members))"
        }
        return words.isEmpty ? nil : EnumCase.choice(words)
    }
}
