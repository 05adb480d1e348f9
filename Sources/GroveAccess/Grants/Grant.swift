import GroveWire

/// One sentence about what a principal may do: `send(place,pay) order/*`.
///
/// Its parts are verbs, event types for `send`, a pattern of machines and a pattern of instances,
/// in which `{principal}` stands for the principal's own name. Grants add up: no order, and none
/// takes away what another one gives. Two grants are equal when they are written alike.
package struct Grant: Hashable, Sendable {
    /// The verbs; at least one.
    package let verbs: VerbSet
    /// The types of events that `send` is narrowed to, sorted by bytes; none for every event.
    /// Only a grant of `send` alone has some.
    package let eventTypes: [Glob]
    /// The machines.
    package let machine: Glob
    /// The pattern of instances as it was written, perhaps with `{principal}`.
    package let instance: String
    /// The canonical text: verbs in the order of ``Verb``, event types by bytes, one star for
    /// several. Reading it returns this grant.
    package let text: String

    /// What stands for the principal's own name.
    package static let placeholder = "{principal}"

    init(verbs: VerbSet, eventTypes: [Glob], machine: Glob, instance: String) {
        precondition(!verbs.isEmpty, "a grant has at least one verb")
        precondition(eventTypes.isEmpty || verbs == VerbSet(.send), "event types narrow only send")
        self.verbs = verbs
        self.eventTypes = eventTypes
        self.machine = machine
        self.instance = instance
        let words = verbs.verbs.map(\.rawValue).joined(separator: ",")
        let types = eventTypes.map(\.pattern).joined(separator: ",")
        text = "\(words)\(types.isEmpty ? "" : "(\(types))") \(machine.pattern)/\(instance)"
    }

    /// Reads the text of a grant.
    ///
    /// - Throws: ``GrantTextError`` with the offset of the first fault, what is wrong there and
    ///   what to write.
    package init(_ text: String) throws(GrantTextError) {
        var reader = GrantReader(text)
        self = try reader.grant()
    }

    /// The pattern of instances for a principal.
    package func instances(of principal: PrincipalName) -> Glob {
        Glob(instance.replacing(Self.placeholder, with: principal.text))
    }

    /// By the bytes of their texts.
    package static func precedes(_ left: Grant, _ right: Grant) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension Grant: CustomStringConvertible {
    package var description: String { text }
}
