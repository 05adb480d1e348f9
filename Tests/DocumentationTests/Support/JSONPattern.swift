import OrderedJSON

/// A reply as the documentation shows it: JSON in which the string `…` stands for any value.
struct JSONPattern {
    private let value: JSONValue

    init(_ text: String) throws(JSONError) { value = try JSONValue(parsing: Array(text.utf8)) }

    /// Where `actual` differs, as a path and a sentence; `nil` when it fits. Members must be the
    /// same, in the same order.
    func difference(from actual: JSONValue) -> String? {
        JSONPattern.difference(value, actual, at: "$")
    }

    private static func difference(
        _ expected: JSONValue, _ actual: JSONValue, at path: String
    ) -> String? {
        switch (expected, actual) {
        case (.string("…"), _): return nil
        case (.object(let left), .object(let right)):
            let names = right.map(\.name)
            guard left.map(\.name) == names else {
                return "\(path) has the members \(names), not \(left.map(\.name))"
            }
            return zip(left, right).lazy.compactMap {
                difference($0.value, $1.value, at: "\(path).\($0.name)")
            }.first
        case (.array(let left), .array(let right)):
            guard left.count == right.count else {
                return "\(path) has \(right.count) elements, not \(left.count)"
            }
            return left.indices.lazy.compactMap {
                difference(left[$0], right[$0], at: "\(path)[\($0)]")
            }.first
        default: return expected == actual ? nil : "\(path) is \(actual), not \(expected)"
        }
    }
}
