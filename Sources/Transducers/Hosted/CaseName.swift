import OrderedJSON

/// Reads the name of a case from the JSON of an enum: the string itself, or member `type`.
public enum CaseName {
    /// The name of a value's case on the wire; `nil` if it isn't of an enum.
    static func read<Value>(encoding value: Value) -> String? {
        guard let value = value as? any Encodable else { return nil }
        var writer = JSONWriter()
        // An event that can't be encoded is none that an effect could send.
        guard (try? JSONCoding.encode(value, into: &writer)) != nil else { return nil }
        return read(writer.bytes)
    }

    /// The name of a part's event within an event of the whole: `counter.tick`. Just its name, if
    /// the part's events are the whole's, or the whole's can't be encoded.
    @usableFromInline
    static func of<Whole>(_ whole: Whole, before name: String) -> String {
        guard let outer = read(encoding: whole), outer != name, !name.hasPrefix("\(outer).") else {
            return name
        }
        return "\(outer).\(name)"
    }

    /// The name; `nil` if the text isn't that of an enum.
    public static func read(_ json: [UInt8]) -> String? {
        // This program wrote the text; one that doesn't parse has no name.
        guard let document = try? JSONDocument(parsing: json, limits: .stored) else { return nil }
        if let name = document.string(document.root) { return name }
        return document.member("type", of: document.root).flatMap { document.string($0) }
    }
}
