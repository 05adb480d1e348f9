import GroveAccess
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

    /// What the engine loads into the processor's cache before the request's turn; `nil` for all
    /// but `send`.
    let ahead: Ahead?

    /// Who sent it, and by which version of the accounts it was allowed.
    package let caller: Caller

    /// The trace that it belongs to; `nil` for none.
    package let trace: TraceParent?

    /// A request of somebody who hasn't said who they are.
    public init(connection: ConnectionID, token: UInt32, operation: Operation) {
        self.init(connection: connection, token: token, operation: operation, caller: Caller())
    }

    package init(
        connection: ConnectionID, token: UInt32, operation: Operation, caller: Caller,
        trace: TraceParent? = nil
    ) {
        self.connection = connection
        self.token = token
        self.operation = operation
        self.caller = caller
        self.trace = trace
        op = operation.op
        ahead = if case .send(let send) = operation { Ahead(send) } else { nil }
    }
}

extension Request {
    /// Where the memory of a `send` is. Kept in the request, because a look at its object would
    /// wait for that memory. Only numbers: nothing is read at these addresses.
    struct Ahead: Sendable {
        /// The bytes of the request's object, about.
        static let bytes = 256

        /// The hash of the instance's name.
        let hash: Int
        /// The address of the request's object.
        let object: UInt
        /// The address of the text of its event.
        let text: UInt

        init(_ send: Send) {
            hash = send.to.hash
            object = UInt(bitPattern: Unmanaged.passUnretained(send).toOpaque())
            text = send.eventText.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
    }
}

extension [Request] {
    /// Whether one of them is of an op. By address, because an element is copied for each look.
    package func hasRequest(_ op: Op) -> Bool {
        withUnsafeBufferPointer { requests in
            guard let first = requests.baseAddress else { return false }
            return requests.indices.contains { first[$0].op == op }
        }
    }
}
