/// An id or a scope as a server stores it: its text, and the name of its Swift type.
struct StoredName: Hashable, Sendable, CustomStringConvertible {
    let text: String
    /// Empty for a text and an integer, which are stored as they are.
    let type: String

    var description: String { text }

    /// The key of a name; that of a text alone is the text.
    static func key(_ text: String, type: String) -> AnyKey {
        type.isEmpty ? AnyKey(text) : AnyKey(StoredName(text: text, type: type))
    }

    /// The name of a type that is the same in each build and on each machine: without the module,
    /// so that a type can move to another one, and without the numbers of unnamed contexts. A long
    /// name is stored as its hash.
    static func ofType(_ type: any Any.Type) -> String {
        var name = Substring(String(reflecting: type))
        if let dot = name.firstIndex(of: ".") { name = name[name.index(after: dot)...] }
        while let begin = name.firstRange(of: "(unknown context at ")?.lowerBound,
            let end = name[begin...].firstRange(of: ").")?.upperBound
        {
            name = name[..<begin] + name[end...]
        }
        return name.utf8.count > typeBytesMax ? name.utf8.fnv1a.hexDigits : String(name)
    }
}

extension AnyKey {
    /// The name of the value's type beside its text; empty for those that are stored as text alone.
    var storedType: String {
        switch value {
        // The sides of a pair have no others beside them.
        case is String, is Int, is PairSide: ""
        case let name as StoredName: name.type
        case let ended as EndedScope: ended.part.storedType
        default: StoredName.ofType(type(of: value))
        }
    }

    /// Whether a stored scope is this one. Rows of earlier versions have no types: then the text
    /// decides.
    func isStored(as stored: AnyKey) -> Bool {
        switch stored.value {
        case let text as String: text == description
        case let name as StoredName: name.text == description && name.type == storedType
        default: false
        }
    }
}
