import ArgumentParser
import OrderedJSON

/// An event on the command line or a line of standard input: JSON, or one word, which is sent as a
/// string.
struct EventText {
    /// The event as JSON without newlines.
    let bytes: [UInt8]

    /// - Throws: `ValidationError` when the text is neither a word nor a JSON string or object.
    init(_ text: String) throws(ValidationError) {
        let isJSON = ["{", "\"", "["].contains { text.drop(while: \.isWhitespace).hasPrefix($0) }
        if isJSON {
            let document: JSONDocument
            do throws(JSONError) {
                document = try JSONDocument(parsing: Array(text.utf8))
            } catch {
                throw ValidationError("The event is no valid JSON: \(error)")
            }
            guard document.kind(document.root) != .array else {
                throw ValidationError("An event is a JSON string or object, not an array.")
            }
            // Valid JSON has newlines only as white space; one would end the line.
            bytes = document.text(document.root).map { $0 < 0x20 ? 0x20 : $0 }
            return
        }
        guard !text.isEmpty, !text.contains(where: { $0.isWhitespace || $0.isNewline }) else {
            throw ValidationError("An event is one word, or JSON such as '{\"type\":\"add\"}'.")
        }
        bytes = JSONValue.string(text).serialized()
    }
}
