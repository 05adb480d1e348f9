import OrderedJSON

/// Reads the name of an enum state from its JSON: the string itself, or member `type`.
enum StateName {
    /// The name, or `nil` when the state is no enum's.
    static func read(_ state: [UInt8]) -> String? {
        // Stored states were written by this program; one that does not parse has no name.
        guard let document = try? JSONDocument(parsing: state) else { return nil }
        if let name = document.string(document.root) { return name }
        return document.member("type", of: document.root).flatMap { document.string($0) }
    }
}
