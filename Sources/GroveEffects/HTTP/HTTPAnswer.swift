/// The answer of a server to one request.
struct HTTPAnswer: Sendable {
    var status = 0
    /// The headers in order, with names in lower case; a name may repeat.
    var headers: [(name: String, value: String)] = []
    /// The part of the body that was read.
    var body: [UInt8] = []
    /// Whether the body has more bytes than allowed: reading stopped, and the connection closed.
    var isTooLarge = false

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
