/// Splits a stream of bytes into lines, for servers and clients; resumable at any byte
/// (protocol.md, "Lines").
///
/// A line that is complete in a chunk is returned as a range of it. Only a line that continues in
/// the next chunk is copied, once, into a buffer of the framer. A `\r` before the newline is not
/// part of the line, empty lines are skipped, and bytes after the last newline are never returned.
/// Memory is bounded by the longest line allowed.
public struct LineFramer: Sendable {
    /// The meaning of the next bytes.
    public enum Event: Equatable, Sendable {
        /// A line, in this range of the chunk.
        case line(Range<Int>)
        /// A line that began in an earlier chunk; ``withCarriedLine(_:)`` has its bytes until the
        /// next call of ``next(in:from:)``.
        case carriedLine
        /// A line longer than allowed; reported once, its rest is skipped. ``beginning`` has its
        /// first bytes.
        case tooLong
        /// A line longer than the hard limit: disconnect its sender.
        case flood
        /// Many empty lines were skipped, and more may follow; they cost time, too.
        case empty
        /// The chunk has no further line.
        case needsMore
    }

    /// Bytes of the longest line.
    package var lineBytesMax: Int
    private let lineBytesHard: Int
    private let idleBytesMax: Int
    private var carry: [UInt8] = []
    private var isCarryReturned = false
    private var isSkipping = false
    private var skipped = 0
    /// The first bytes of the last line that was too long.
    package private(set) var beginning: [UInt8] = []

    /// A framer at the beginning of a line.
    ///
    /// - Parameters:
    ///   - lineBytesMax: Bytes of the longest line, without its newline and the `\r` before it.
    ///   - lineBytesHard: Bytes of one line after which ``Event/flood`` is reported.
    ///   - idleBytesMax: Bytes of memory that may stay allocated between two lines.
    public init(lineBytesMax: Int, lineBytesHard: Int = .max, idleBytesMax: Int = 4 << 10) {
        self.lineBytesMax = lineBytesMax
        self.lineBytesHard = max(lineBytesHard, lineBytesMax + 1)
        self.idleBytesMax = idleBytesMax
    }

    /// Whether the stream is within a line.
    public var isInsideLine: Bool { isSkipping || (!isCarryReturned && !carry.isEmpty) }

    /// Bytes held of a line that has not ended.
    public var carriedBytes: Int { carry.count }

    /// Reads `chunk` from `position` on and moves `position` after the bytes of the event. Call
    /// it until it returns ``Event/needsMore``.
    public mutating func next(
        in chunk: UnsafeRawBufferPointer, from position: inout Int
    ) -> Event {
        if isCarryReturned {
            carry.removeAll(keepingCapacity: carry.capacity <= idleBytesMax)
            isCarryReturned = false
        }
        var emptyLines = 0
        while position < chunk.count {
            guard emptyLines < Self.emptyLinesMax else { return .empty }
            let start = position
            guard let newline = ByteScan.newline(in: chunk, from: start) else {
                position = chunk.count
                return keep(chunk, from: start)
            }
            position = newline + 1
            if isSkipping {
                let isFlood = skipped + newline - start > lineBytesHard
                isSkipping = false
                if isFlood { return .flood }
                emptyLines += 1
                continue
            }
            if !carry.isEmpty {
                if let event = finishCarry(chunk, start..<newline) { return event }
                emptyLines += 1
                continue
            }
            var end = newline
            if end > start, chunk[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            if end - start > lineBytesMax {
                keepBeginning(UnsafeRawBufferPointer(rebasing: chunk[start..<end]))
                return end - start > lineBytesHard ? .flood : .tooLong
            }
            if end > start { return .line(start..<end) }
            emptyLines += 1
        }
        return .needsMore
    }

    /// Calls `body` with the bytes of the carried line.
    public func withCarriedLine<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        carry.withUnsafeBytes(body)
    }

    /// Moves the carried line out; the framer starts a new buffer.
    package mutating func removeCarriedLine() -> [UInt8] {
        var line: [UInt8] = []
        swap(&line, &carry)
        isCarryReturned = false
        return line
    }

    /// Returns a buffer of ``removeCarriedLine()``, so that its memory is reused.
    package mutating func reuse(_ buffer: inout [UInt8]) {
        guard carry.isEmpty, buffer.capacity <= idleBytesMax else { return }
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &carry)
    }

    /// Discards the line that has not ended.
    package mutating func dropLine() {
        carry = []
        isCarryReturned = false
        isSkipping = false
    }

    /// Frees memory between two lines.
    package mutating func releaseIdleMemory() {
        if !isInsideLine { carry = [] }
    }

    /// Keeps the beginning of a line that has not ended.
    private mutating func keep(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Event {
        let count = chunk.count - start
        if isSkipping {
            skipped += count
            return skipped > lineBytesHard ? flood() : .needsMore
        }
        let length = carry.count + count
        // One byte more may be the `\r` that doesn't count.
        let endsWithReturn = chunk[chunk.count - 1] == UInt8(ascii: "\r")
        if length <= lineBytesMax || (length == lineBytesMax + 1 && endsWithReturn) {
            carry.append(contentsOf: chunk[start...])
            return .needsMore
        }
        isSkipping = true
        skipped = length
        keepBeginning(UnsafeRawBufferPointer(rebasing: chunk[start...]))
        carry = []
        return skipped > lineBytesHard ? flood() : .tooLong
    }

    /// Keeps the first bytes of a line that is too long: those carried, then `rest`.
    private mutating func keepBeginning(_ rest: UnsafeRawBufferPointer) {
        beginning = Array(carry.prefix(Self.beginningBytesMax))
        beginning += rest.prefix(Self.beginningBytesMax - beginning.count)
    }

    /// Ends the carried line with the bytes of `range`; `nil` when the line is empty.
    private mutating func finishCarry(
        _ chunk: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> Event? {
        let last = range.isEmpty ? carry[carry.count - 1] : chunk[range.upperBound - 1]
        let length = carry.count + range.count - (last == UInt8(ascii: "\r") ? 1 : 0)
        guard length <= lineBytesMax else {
            keepBeginning(UnsafeRawBufferPointer(rebasing: chunk[range]))
            carry = []
            return length > lineBytesHard ? .flood : .tooLong
        }
        carry.append(contentsOf: chunk[range])
        carry.removeLast(carry.count - length)
        guard length > 0 else { return nil }
        isCarryReturned = true
        return .carriedLine
    }

    private mutating func flood() -> Event {
        isSkipping = true
        return .flood
    }
}
