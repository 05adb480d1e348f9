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
