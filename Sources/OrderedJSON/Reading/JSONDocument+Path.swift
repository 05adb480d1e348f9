extension JSONDocument {
    /// The path from the root to `node`: `$` for the root itself, `$.event.items[0].sku`; a name
    /// that is no ASCII identifier is written as `$["a b"]`. A member's name has its value's path.
    ///
    /// It walks from the root, which takes time proportional to the text before `node`.
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
