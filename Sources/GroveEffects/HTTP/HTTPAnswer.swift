/// What a server answered to one request.
struct HTTPAnswer: Sendable {
    /// From 100.
    var status = 0
    /// Names in lower case; those that came more than once stand more than once.
    var headers: [(name: String, value: String)] = []
    /// As much of the body as was read.
    var body: [UInt8] = []
    /// Whether the body has more bytes than may be read: it was left, with its connection.
    var isTooLarge = false

    /// The first header of this name, which is in lower case.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
