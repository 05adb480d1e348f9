/// An event as a small machine has it.
enum Event: Codable, Sendable {
    case increment, decrement
    case add(amount: Int)
    case set(Int)
}

/// A state as a small machine has it.
struct State: Codable, Sendable { var count = 0 }

/// The members of a `send` request.
struct Request: Codable, Sendable {
    var op: String
    var id: Int
    var to: String
    var event: Event
    var reply: String?
}

/// Texts and values that are measured.
enum Samples {
    static let request = Request(
        op: "send", id: 12, to: "counter/i-4711", event: .add(amount: 5), reply: "min")

    /// A request as a client sends it.
    static let line =
        Array(
            #"{"op":"send","id":12,"to":"counter/i-4711","#.utf8)
        + Array(#""event":{"type":"add","amount":5},"reply":"min"}"#.utf8)

    /// The same with the event in the form Swift gives to enums, for Foundation.
    static let swiftLine =
        Array(
            #"{"op":"send","id":12,"to":"counter/i-4711","#.utf8)
        + Array(#""event":{"add":{"amount":5}},"reply":"min"}"#.utf8)

    /// Ten thousand requests in one array.
    static let batch: [UInt8] =
        Array("[".utf8) + Array(repeatElement(line, count: 10_000).joined(separator: [0x2C]))
        + Array("]".utf8)
}
