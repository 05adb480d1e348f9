public import OrderedJSON

/// Bytes on their way to one client, in order. Lines are appended whole by encoders; whoever
/// owns the socket takes them off the front in whatever pieces the kernel accepts.
public struct OutboundBuffer: Sendable {
    /// Encoders append here, whole lines only.
    public var writer = JSONWriter()

    private var start = 0

    /// An empty buffer.
    public init() {}

    /// Bytes that wait.
    public var count: Int { writer.bytes.count - start }

    /// Whether nothing waits.
    public var isEmpty: Bool { count == 0 }

    /// Hands what waits to `body`, which says how many bytes of it are gone now.
    ///
    /// - Precondition: `body` answers 0 to the number of bytes it was given.
    @discardableResult
    public mutating func take(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        let taken = writer.bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        precondition((0...count).contains(taken), "no more can be sent than what waits")
        start += taken
        if start == writer.bytes.count {
            writer.bytes.removeAll(
                keepingCapacity: writer.bytes.capacity <= ServerLimits.busyBufferBytesMax)
            start = 0
        } else if start >= ServerLimits.busyBufferBytesMax && start * 2 > writer.bytes.count {
            writer.bytes.removeFirst(start)
            start = 0
        }
        return taken
    }

    /// Gives memory back when nothing waits.
    mutating func releaseIdleMemory() {
        if isEmpty { self = OutboundBuffer() }
    }
}
