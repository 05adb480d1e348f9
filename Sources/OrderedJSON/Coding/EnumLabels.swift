/// The names of an enum case's associated values on the wire.
enum EnumLabels {
    /// The member with the name of the case.
    static let type = "type"
    /// The member with a single value that has no label.
    static let value = "value"

    /// Swift's names of the first sixteen values, for those without a label. Cases with more such
    /// values keep Swift's names.
    private static let unlabeled = [
        "_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11", "_12", "_13",
        "_14", "_15",
    ]

    /// The member name for `key`: `value` if it is the only unlabeled value of its case and no
    /// label is `value`; otherwise the key's own name. `Key` knows all keys of the case.
    static func name<Key: CodingKey>(_ key: Key) -> String {
        let name = key.stringValue
        guard name.utf8.first == UInt8(ascii: "_"), unlabeled.contains(name) else { return name }
        if Key(stringValue: value) != nil { return name }
        for other in unlabeled where other != name && Key(stringValue: other) != nil {
            return name
        }
        return value
    }
}
