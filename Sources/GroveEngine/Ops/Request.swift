import GroveWire

/// One request of a client, decoded and checked as far as the line alone allows.
public struct Request: Sendable {
    public var connection: ConnectionID

    /// The number of the request in its connection; the reply carries the same number. The
    /// connection knows the client's id, and whether the client wants a reply.
    public var token: UInt32

    public let operation: Operation

    /// The operation's op, at hand without a copy of the operation.
    package let op: Op

    public init(connection: ConnectionID, token: UInt32, operation: Operation) {
        self.connection = connection
        self.token = token
        self.operation = operation
        op = operation.op
    }
}
