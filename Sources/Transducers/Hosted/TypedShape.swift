import OrderedJSON

/// Facts about a machine's types that need no instance.
struct TypedShape: Sendable {
    /// The events, in the order of their declaration; `nil` if unknown.
    let takes: [TakenEvent]?
    /// The problems that prevent hosting, in words.
    let faults: [String]

    init(events: [EnumCase]?, states: [EnumCase]?, internalEvents: Set<String>) {
        takes = events?.map {
            TakenEvent(event: $0, isInternal: internalEvents.contains($0.name))
        }
        var faults: [String] = []
        for (kind, cases) in [("event", events), ("state", states)] {
            for unreadable in cases ?? [] where unreadable.hasTypeLabel {
                faults.append(
                    "the \(kind) \"\(unreadable.name)\" has a value with the label \"type\", "
                        + "which names the case on the wire: call it otherwise")
            }
        }
        if let events {
            let names = Set(events.map(\.name))
            for name in internalEvents.sorted() where !names.contains(name) {
                faults.append(
                    "internalEvents names \"\(name)\", and there is no such event: "
                        + EnumCase.choice(events.map(\.name)))
            }
        }
        self.faults = faults
    }
}
