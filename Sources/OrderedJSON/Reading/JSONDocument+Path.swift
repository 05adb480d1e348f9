/// One step of a path from a text's root: into an object or into an array.
enum PathStep: Hashable, Sendable {
    case name(String)
    case index(Int)

    /// The path as text: `$` for the root, `.name` where the name is an ASCII identifier,
    /// `["any name"]` in JSON's escapes otherwise, `[0]` for an element.
    static func text(_ steps: some Sequence<PathStep>) -> String {
        var text = "$"
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name):
                if isIdentifier(name) {
                    text += "." + name
                } else {
                    var writer = JSONWriter()
                    writer.string(name)
                    text += "[" + String(decoding: writer.bytes, as: UTF8.self) + "]"
                }
            }
        }
        return text
    }

    private static func isIdentifier(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"):
                break
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }
}

extension JSONDocument {
    /// The way from the root to `node`: `$` for the root itself, `$.event.items[0].sku`; a name
    /// that is no ASCII identifier stands as `$["a b"]`. A member's name has its value's path.
    ///
    /// It is worked out by walking from the root, so ask only when somebody will read it.
    public func path(to node: Node) -> String {
        PathStep.text(steps(to: node))
    }

    /// The steps from the root to `node`.
    func steps(to node: Node) -> [PathStep] {
        precondition(Int(node.index) < nodes, "the node belongs to another document")
        let target = Int(node.index)
        var steps: [PathStep] = []
        var holder = 0
        while holder != target {
            let isObject = kind(Node(holder)) == .object
            var child = holder + 1
            var position = 0
            // The child whose subtree, with its name, holds the target.
            while true {
                let end = Int(tape[isObject ? child + 1 : child].next)
                if target < end { break }
                child = end
                position += 1
            }
            if isObject {
                steps.append(.name(string(Node(child)) ?? ""))
                if child == target { return steps }
                holder = child + 1
            } else {
                steps.append(.index(position))
                holder = child
            }
        }
        return steps
    }
}
