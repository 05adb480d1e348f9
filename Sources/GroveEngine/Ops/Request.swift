/// One request of a client, decoded and checked as far as the line alone allows.
public struct Request: Sendable {
    /// Where it came from.
    public var connection: ConnectionID

    /// Which request of the connection it is; its reply carries the same number. Whether the
    /// client wants a reply, and under which id, is the connection's business.
    public var token: UInt32

    /// What is asked.
    public var operation: Operation

    /// Puts a request together.
    public init(connection: ConnectionID, token: UInt32, operation: Operation) {
        self.connection = connection
        self.token = token
        self.operation = operation
    }
}
