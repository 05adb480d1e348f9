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
