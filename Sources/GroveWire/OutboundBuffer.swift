public import OrderedJSON

/// Unsent bytes for one client, in order. Encoders append whole lines; the owner of the socket
/// removes bytes from the front, as many as the kernel accepts.
public struct OutboundBuffer: Sendable {
    /// Encoders append here, whole lines only.
    public var writer = JSONWriter()

    private var start = 0

    /// A buffer without bytes.
    public init() {}

    /// The number of unsent bytes.
    public var count: Int { writer.bytes.count - start }

    /// Whether all bytes are sent.
    public var isEmpty: Bool { count == 0 }

    /// Removes sent bytes.
    ///
    /// - Parameter body: Sends a prefix of the unsent bytes, and returns its length.
    /// - Returns: That length.
    @discardableResult
    public mutating func send(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        let sent = writer.bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        precondition((0...count).contains(sent), "no more than the unsent bytes can be sent")
        start += sent
        if start == writer.bytes.count {
            writer.bytes.removeAll(
                keepingCapacity: writer.bytes.capacity <= Self.keptBytesMax)
            start = 0
        } else if start >= Self.keptBytesMax && start * 2 > writer.bytes.count {
            // The last sent byte stays: it says whether a line was sent in part.
            writer.bytes.removeFirst(start - 1)
            start = 1
        }
        return sent
    }

    /// Drops the unsent lines, but not the rest of one that was sent in part.
    public mutating func dropLines() {
        let sent = max(0, start - 1)
        var end = start
        if start > 0, writer.bytes[start - 1] != UInt8(ascii: "\n") {
            while end < writer.bytes.count, writer.bytes[end] != UInt8(ascii: "\n") { end += 1 }
            end = min(end + 1, writer.bytes.count)
        }
        // A new array, so that the memory is free at once. Made of all elements, it would share it.
        var rest: [UInt8] = []
        rest.append(contentsOf: writer.bytes[sent..<end])
        writer.bytes = rest
        start -= sent
        if start == writer.bytes.count { self = OutboundBuffer() }
    }

    /// Releases memory when all bytes are sent.
    public mutating func releaseIdleMemory() {
        if isEmpty { self = OutboundBuffer() }
    }
}
