/// A member of an object in the description of the API.
struct JSONMember: Sendable {
    let name: String
    let schema: JSONSchema
    /// What it means; empty where its name says it.
    let meaning: String
    /// Whether the object must have it.
    let isRequired: Bool

    /// - Parameters:
    ///   - name: Its name, followed by `?` if it may be missing.
    init(_ name: String, _ schema: JSONSchema, _ meaning: String = "") {
        isRequired = !name.hasSuffix("?")
        self.name = isRequired ? name : String(name.dropLast())
        self.schema = schema
        self.meaning = meaning
    }

    /// Its schema with its meaning.
    var described: JSONSchema { schema.described(meaning) }
}
