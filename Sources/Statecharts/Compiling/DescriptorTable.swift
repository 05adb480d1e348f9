import OrderedJSON

/// The event descriptors of a chart by number (SCXML 3.12.1): `foo` is exact, `foo.*` is `foo` and
/// everything under it, `*` is everything.
struct DescriptorTable: Sendable {
    /// The descriptors that one event matches.
    struct Match {
        /// The descriptor of exactly this type; -1 if the chart has none.
        var exact: Int32 = -1
        /// The descriptors `prefix.*`.
        var prefixes: [Int32] = []

        func contains(_ descriptor: Int32) -> Bool {
            descriptor == DescriptorTable.everything || descriptor == exact
                || prefixes.contains(descriptor)
        }
    }

    /// The number of `*`.
    static let everything: Int32 = 0

    /// Text is never normalized.
    private var exact: [ByteText: Int32] = [:]
    private var prefixes: [ByteText: Int32] = [:]
    private var count: Int32 = 1

    /// The number of a descriptor.
    mutating func intern(_ descriptor: String) -> Int32 {
        if descriptor == "*" { return Self.everything }
        if descriptor.hasSuffix(".*") {
            return Self.intern(String(descriptor.dropLast(2)), &prefixes, &count)
        }
        return Self.intern(descriptor, &exact, &count)
    }

    private static func intern(
        _ text: String, _ table: inout [ByteText: Int32], _ count: inout Int32
    ) -> Int32 {
        let name = ByteText(text)
        if let found = table[name] { return found }
        defer { count += 1 }
        table[name] = count
        return count
    }

    /// The descriptors that an event's type matches.
    func match(_ type: String) -> Match {
        var matched = Match(exact: exact[ByteText(type)] ?? -1)
        guard !prefixes.isEmpty else { return matched }
        if let whole = prefixes[ByteText(type)] { matched.prefixes.append(whole) }
        var rest = type.unicodeScalars[...]
        while let dot = rest.lastIndex(of: ".") {
            rest = rest[..<dot]
            if let prefix = prefixes[ByteText(String(rest))] { matched.prefixes.append(prefix) }
        }
        return matched
    }

    /// The reason why a text is no event descriptor.
    static func fault(inDescriptor text: String) -> String? {
        if text == "*" { return nil }
        let name = text.hasSuffix(".*") ? String(text.dropLast(2)) : text
        return fault(inType: name)
    }

    /// The reason why a text is no event's type.
    static func fault(inType text: String) -> String? {
        if text.isEmpty { return "an event's type isn't empty" }
        if text.utf8.count > ChartLimits.nameBytesMax {
            return "an event's type may have \(ChartLimits.nameBytesMax) bytes"
        }
        // The bytes are searched first: few types have one that could be a part of the character.
        if text.utf8.contains(UInt8(ascii: "*")), text.contains("*") {
            return "'*' is allowed alone, or at the end after a '.'"
        }
        return nil
    }
}
