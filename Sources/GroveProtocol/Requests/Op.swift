import OrderedJSON

/// The ops this server knows (protocol.md, "Requests and replies").
enum Op: String, CaseIterable {
    case await, backup, batch, can, cancel, complete, create, credit, definitions, delete
    case describe, effects, get, hello, history, `import`, list, ping, retry, send, stats, stop
    case subscribe, unsubscribe

    /// The op of this name.
    init?(_ document: JSONDocument, _ node: JSONDocument.Node) {
        // The one that most lines have.
        if document.stringEquals(node, "send") {
            self = .send
            return
        }
        guard let op = document.string(node).flatMap(Op.init(rawValue:)) else { return nil }
        self = op
    }

    /// All names, for whoever asked for one that isn't known.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
