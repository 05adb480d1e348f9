import OrderedJSON

/// Reads the name of a case from the JSON of an enum: the string itself, or member `type`.
public enum CaseName {
    /// The name, or `nil` when the text is no enum's.
    public static func read(_ json: [UInt8]) -> String? {
        // What is read here was written by this program; what does not parse has no name.
        guard let document = try? JSONDocument(parsing: json, limits: .stored) else { return nil }
        if let name = document.string(document.root) { return name }
        return document.member("type", of: document.root).flatMap { document.string($0) }
    }
}
