/// One request of a client, decoded and checked as far as the line alone allows.
public struct Request: Sendable {
    /// The connection that it came from.
    public var connection: ConnectionID

    /// The number of the request in its connection; the reply carries the same number. The
    /// connection knows the client's id, and whether the client wants a reply.
    public var token: UInt32

    /// The op with its fields.
    public var operation: Operation

    /// A request of a connection.
    public init(connection: ConnectionID, token: UInt32, operation: Operation) {
        self.connection = connection
        self.token = token
        self.operation = operation
    }
}
