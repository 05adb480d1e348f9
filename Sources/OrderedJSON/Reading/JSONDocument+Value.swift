extension JSONDocument {
    /// The value at `node` with its contents, independent of the document.
    ///
    /// It isn't recursive, so any depth within the limits is fine.
    public func value(_ node: Node) -> JSONValue {
        var open: [Unfinished] = []
        var index = Int(node.index)
        let end = Int(entry(node).next)
        if let leaf = leaf(node) { return leaf }
        while true {
            while let last = open.last, index == last.end {
                open.removeLast()
                let value = last.value
                guard !open.isEmpty else { return value }
                open[open.count - 1].append(value)
            }
            precondition(index < end, "a container ends with its last node")
            if open.last?.isObject == true {
                open[open.count - 1].name = string(Node(index)) ?? ""
                index += 1
            }
            if let leaf = leaf(Node(index)) {
                open[open.count - 1].append(leaf)
            } else {
                let entry = tape[index]
                open.append(
                    Unfinished(
                        isObject: entry.kindBits == Kind.object.rawValue, end: Int(entry.next),
                        count: entry.count))
            }
            index += 1
        }
    }

    /// A value without contents; nil for an array or object.
    private func leaf(_ node: Node) -> JSONValue? {
        switch kind(node) {
        case .null: .null
        case .bool: .bool(bool(node) ?? false)
        case .integer: .integer(integer(node) ?? 0)
        case .double: .double(double(node) ?? 0)
        case .string: .string(string(node) ?? "")
        case .array, .object: nil
        }
    }

    /// An array or object that isn't complete yet.
    private struct Unfinished {
        let isObject: Bool
        /// The index after its last node.
        let end: Int
        /// The name of an object's next value.
        var name = ""
        var elements: [JSONValue] = []
        var members: [JSONObject.Member] = []

        init(isObject: Bool, end: Int, count: Int) {
            self.isObject = isObject
            self.end = end
            if isObject {
                members.reserveCapacity(count)
            } else {
                elements.reserveCapacity(count)
            }
        }

        mutating func append(_ value: JSONValue) {
            if isObject {
                members.append(JSONObject.Member(name: name, value: value))
            } else {
                elements.append(value)
            }
        }

        var value: JSONValue {
            isObject ? .object(JSONObject(distinct: members)) : .array(elements)
        }
    }
}
