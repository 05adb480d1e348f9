import GroveEngine
import OrderedJSON

/// The ops this server knows (protocol.md, "Requests and replies").
enum Op: String, CaseIterable {
    case await, backup, batch, can, cancel, complete, create, credit, definitions, delete
    case describe, effects, get, hello, history, `import`, list, ping, resume, retry, send, stats
    case stop, subscribe, suspend, unsubscribe

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

    /// What is said of a name that isn't known: the nearest that is, and all there are.
    static func problem(_ name: String?) -> String {
        let names = allCases.map(\.rawValue)
        let known = "known ops are " + names.joined(separator: ", ")
        let meant = name.flatMap { EditDistance.meant(by: $0, of: names) }
        return (meant.map { "did you mean \"\($0)\"? " } ?? "") + known
    }
}
