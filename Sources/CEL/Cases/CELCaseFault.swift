import OrderedJSON

/// A type or a value of a test that isn't one.
struct CELCaseFault: Error {
    let message: String

    init(_ kind: String, _ json: JSONValue) {
        let text = String(decoding: json.serialized(), as: UTF8.self)
        message = "\(text.prefix(100)) is no \(kind) of a test"
    }
}
