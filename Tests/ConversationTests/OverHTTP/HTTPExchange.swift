/// A request of a conversation over HTTP and its answer, with whole bodies.
struct HTTPExchange {
    /// The first line of the request; `nil` if it was sent in pieces.
    var request: String?
    var body: String?
    var status = 0
    /// The type of the answer's body.
    var type = ""
    var answer: [UInt8] = []
}
