/// How the associated values of an enum case are named on the wire.
enum EnumLabels {
    /// The member that holds the name of the case.
    static let type = "type"
    /// The member that holds a single value without a label.
    static let value = "value"

    /// Swift calls the value at place n of a case `_n` if it has no label. Cases with unlabelled
    /// values past the sixteenth keep Swift's names.
    private static let unlabelled = [
        "_0", "_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_10", "_11", "_12", "_13",
        "_14", "_15",
    ]

    /// The member name for `key`: `value` if it stands for the only unlabelled value of its case
    /// and no label is `value`; the key's own name otherwise. All keys of the case are known to
    /// `Key`, which is asked for each.
    static func name<Key: CodingKey>(_ key: Key) -> String {
        let name = key.stringValue
        guard name.utf8.first == UInt8(ascii: "_"), unlabelled.contains(name) else { return name }
        if Key(stringValue: value) != nil { return name }
        for other in unlabelled where other != name && Key(stringValue: other) != nil {
            return name
        }
        return value
    }
}
