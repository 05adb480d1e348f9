/// What one decoding has read of its document, and what it has looked for in vain.
final class ReadingNotes {
    typealias Node = JSONDocument.Node

    /// A member that may be absent, and was.
    struct Absent {
        let object: Node
        let name: String
        /// The type of its value, as far as JSON has it.
        let word: JSONWord?
    }

    /// The values of the members that were read.
    var read: Set<Node> = []
    /// The values that were read whole, with all that is in them.
    var whole: Set<Node> = []
    /// The first absent member of each type: for the question what may have taken its place, all
    /// others of the type have the same answer, and a list may have thousands.
    private(set) var absent: [Absent] = []

    /// Notes an absent member of an object, with the type of its value where that is known.
    func note(absent name: String, of object: Node, _ type: (any Any.Type)?) {
        let word = type.flatMap { JSONWord($0) }
        guard !absent.contains(where: { $0.word == word }) else { return }
        absent.append(Absent(object: object, name: name, word: word))
    }

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
