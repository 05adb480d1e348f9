/// The members of a document that a decoding has left unread, and those that it has missed.
///
/// Paths are made for few of them only: to find one takes as long as its siblings are many.
package struct LeftMembers {
    private let document: JSONDocument
    private let left: [JSONDocument.Node]
    private let absent: [ReadingNotes.Absent]

    init(_ notes: ReadingNotes, in document: JSONDocument) {
        self.document = document
        left = notes.unread(in: document)
        absent = notes.absent
    }

    /// Whether everything was read.
    package var isEmpty: Bool { left.isEmpty }

    /// The paths of the first members that nothing reads, at most `max`.
    package func unread(max: Int) -> [String] { left.prefix(max).map { document.path(to: $0) } }

    /// The first absent optional for which an unread member may be the value, under a former name
    /// or at a former place: its path, and the paths of the first such members, at most `max`.
    package func renamed(max: Int) -> (absent: String, unread: [String])? {
        for missed in absent {
            let fitting = left.lazy.filter { Self.fits(document.kind($0), missed.word) }.prefix(max)
            if fitting.isEmpty { continue }
            let steps = document.steps(to: missed.object) + [.name(missed.name)]
            return (PathStep.text(steps), fitting.map { document.path(to: $0) })
        }
        return nil
    }

    /// The path of names as text.
    package static func path(_ names: [String]) -> String {
        PathStep.text(names.map(PathStep.name))
    }

    /// Whether a value of this kind may be one of the type. Only types that JSON has are known.
    private static func fits(_ kind: JSONDocument.Kind, _ word: JSONWord?) -> Bool {
        switch word {
        case nil: true
        case .string: kind == .string
        case .bool: kind == .bool
        case .number, .integer: kind == .integer || kind == .double
        case .array: kind == .array
        case .object: kind == .object
        }
    }
}
