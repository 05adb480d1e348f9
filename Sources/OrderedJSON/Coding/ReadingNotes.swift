/// What one decoding has read of its document, and what it has looked for in vain.
final class ReadingNotes {
    typealias Node = JSONDocument.Node

    /// The values of the members that were read.
    var read: Set<Node> = []
    /// The values that were read whole, with all that is in them.
    var whole: Set<Node> = []
    /// The members that may be absent and were, with the types of their values where known.
    var absent: [(steps: [PathStep], type: (any Any.Type)?)] = []

    /// The members that nothing has read, outermost first; a `null` holds nothing to read.
    func unread(in document: JSONDocument) -> [Node] {
        var unread: [Node] = []
        collect(document.root, in: document, into: &unread)
        return unread
    }

    private func collect(_ node: Node, in document: JSONDocument, into unread: inout [Node]) {
        if whole.contains(node) { return }
        for element in document.elements(of: node) {
            collect(element, in: document, into: &unread)
        }
        for (_, value) in document.members(of: node) {
            if read.contains(value) {
                collect(value, in: document, into: &unread)
            } else if document.kind(value) != .null {
                unread.append(value)
            }
        }
    }
}

/// The members of a document that a decoding has left unread, and those that it has missed.
package struct LeftMembers: Sendable {
    /// The paths of the members that nothing reads.
    package let unread: [String]
    /// For each absent optional: its path, and the paths of unread members that may be its value
    /// under a former name or at a former place. None without such a member.
    package let renamed: [(absent: String, unread: [String])]

    init(_ notes: ReadingNotes, in document: JSONDocument) {
        let left = notes.unread(in: document)
        unread = left.map { document.path(to: $0) }
        renamed =
            left.isEmpty
            ? []
            : notes.absent.compactMap { steps, type in
                let fitting = left.filter { Self.fits(document.kind($0), type) }
                if fitting.isEmpty { return nil }
                return (PathStep.text(steps), fitting.map { document.path(to: $0) })
            }
    }

    /// The path of names as text.
    package static func path(_ names: [String]) -> String {
        PathStep.text(names.map(PathStep.name))
    }

    /// Whether a value of this kind may be one of the type. Only types that JSON has are known.
    private static func fits(_ kind: JSONDocument.Kind, _ type: (any Any.Type)?) -> Bool {
        switch type.flatMap({ JSONWord($0) }) {
        case nil: true
        case .string: kind == .string
        case .bool: kind == .bool
        case .number, .integer: kind == .integer || kind == .double
        case .array: kind == .array
        case .object: kind == .object
        }
    }
}
