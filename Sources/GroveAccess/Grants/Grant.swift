import GroveWire
import OrderedJSON

/// One sentence about what a principal may do: `send(place,pay) order/*`.
///
/// Its parts are verbs, event types for `send`, a pattern of machines and a pattern of instances,
/// in which `{principal}` stands for the principal's own name. Grants add up: no order, and none
/// takes away what another one gives. Two grants are equal when they are written alike.
package struct Grant: Hashable, Sendable {
    /// What it consists of: an object, because thousands of grants are compared and sorted.
    private final class Parts: Sendable {
        let verbs: VerbSet
        let eventTypes: [Glob]
        let machine: Glob
        let instance: String
        let text: String

        init(
            _ verbs: VerbSet, _ eventTypes: [Glob], _ machine: Glob, _ instance: String,
            _ text: String
        ) {
            self.verbs = verbs
            self.eventTypes = eventTypes
            self.machine = machine
            self.instance = instance
            self.text = text
        }
    }

    private let parts: Parts

    /// The verbs; at least one.
    package var verbs: VerbSet { parts.verbs }
    /// The types of events that `send` is narrowed to, sorted by bytes; none for every event.
    /// Only a grant of `send` alone has some.
    package var eventTypes: [Glob] { parts.eventTypes }
    /// The machines.
    package var machine: Glob { parts.machine }
    /// The pattern of instances as it was written, perhaps with `{principal}`.
    package var instance: String { parts.instance }
    /// The canonical text: verbs in the order of ``Verb``, event types by bytes, one star for
    /// several. Reading it returns this grant.
    package var text: String { parts.text }

    /// What stands for the principal's own name.
    package static let placeholder = "{principal}"

    init(verbs: VerbSet, eventTypes: [Glob], machine: Glob, instance: String) {
        precondition(!verbs.isEmpty, "a grant has at least one verb")
        precondition(eventTypes.isEmpty || verbs == VerbSet(.send), "event types narrow only send")
        let words = verbs.verbs.map(\.rawValue).joined(separator: ",")
        let types = eventTypes.map(\.pattern).joined(separator: ",")
        let text = "\(words)\(types.isEmpty ? "" : "(\(types))") \(machine.pattern)/\(instance)"
        parts = Parts(verbs, eventTypes, machine, instance, text)
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
        // A contiguous copy of a native string is the string itself.
        var (left, right) = (left.text, right.text)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<min(left.count, right.count) where left[index] != right[index] {
                    return left[index] < right[index]
                }
                return left.count < right.count
            }
        }
    }

    /// Its text says all of it: by bytes, as event types are matched.
    package static func == (left: Grant, right: Grant) -> Bool {
        ByteText(left.text) == ByteText(right.text)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ByteText(text)) }
}

extension Grant: CustomStringConvertible {
    package var description: String { text }
}
