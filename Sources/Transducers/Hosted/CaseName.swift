import OrderedJSON

/// Reads the name of a case from the JSON of an enum: the string itself, or member `type`.
public enum CaseName {
    /// The name; `nil` if the text isn't that of an enum.
    public static func read(_ json: [UInt8]) -> String? {
        // This program wrote the text; one that doesn't parse has no name.
        guard let document = try? JSONDocument(parsing: json, limits: .stored) else { return nil }
        if let name = document.string(document.root) { return name }
        return document.member("type", of: document.root).flatMap { document.string($0) }
    }
}
