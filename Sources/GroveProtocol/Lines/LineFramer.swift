/// Cuts a stream of bytes into lines; resumable at any byte (protocol.md, "Lines").
///
/// Lines that lie whole in a chunk are handed out in place. Only a line that is cut by the end
/// of a chunk is copied, once, into a buffer of the framer's. A `\r` before the newline is not
/// part of the line, empty lines are passed over, and what follows the last newline never comes
/// out. Memory is bounded by the longest line allowed.
public struct LineFramer: Sendable {
    /// What the next bytes are.
    public enum Event: Equatable, Sendable {
        /// A line, at this place of the chunk.
        case line(Range<Int>)
        /// A line that began in an earlier chunk; ``withCarriedLine(_:)`` has its bytes until the
        /// next call of ``next(in:from:)``.
        case carriedLine
        /// A line longer than allowed; said once, the rest of it is skipped. ``beginning`` has
        /// how it begins.
        case tooLong
        /// A line so long that its sender is to be cut off (``ServerLimits/lineBytesHard``).
        case flood
        /// Many empty lines were passed over, and more may follow: they are work, too.
        case empty
        /// The chunk is used up.
        case needsMore
    }

    /// Empty lines in a row after which ``Event/empty`` is said.
    static let emptyLinesMax = 1_024

    /// Bytes of the longest line.
    let lineBytesMax: Int
    private let lineBytesHard: Int
    private var carry: [UInt8] = []
    private var isCarryHandedOut = false
    private var isSkipping = false
    private var skipped = 0
    /// How the last line that was too long begins.
    private(set) var beginning: [UInt8] = []

    /// A framer at the beginning of a line.
    ///
    /// - Parameters:
    ///   - lineBytesMax: Bytes of the longest line, without its newline and the `\r` before it.
    ///   - lineBytesHard: Bytes of one line after which ``Event/flood`` is said.
    public init(lineBytesMax: Int, lineBytesHard: Int = ServerLimits.lineBytesHard) {
        self.lineBytesMax = lineBytesMax
        self.lineBytesHard = max(lineBytesHard, lineBytesMax + 1)
    }

    /// Whether the stream stands within a line.
    public var isInsideLine: Bool { isSkipping || (!isCarryHandedOut && !carry.isEmpty) }

    /// Bytes of a line whose end has not come.
    public var carriedBytes: Int { carry.count }

    /// Looks at the bytes of `chunk` from `position` on and moves `position` behind what the
    /// event covers. Call it until it says ``Event/needsMore``.
    public mutating func next(
        in chunk: UnsafeRawBufferPointer, from position: inout Int
    ) -> Event {
        if isCarryHandedOut {
            carry.removeAll(keepingCapacity: carry.capacity <= ServerLimits.idleBufferBytesMax)
            isCarryHandedOut = false
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
                noteBeginning(UnsafeRawBufferPointer(rebasing: chunk[start..<end]))
                return end - start > lineBytesHard ? .flood : .tooLong
            }
            if end > start { return .line(start..<end) }
            emptyLines += 1
        }
        return .needsMore
    }

    /// Hands the carried line's bytes to `body`.
    public func withCarriedLine<Result>(
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        carry.withUnsafeBytes(body)
    }

    /// Takes the carried line's bytes out; the framer begins a new buffer.
    mutating func takeCarriedLine() -> [UInt8] {
        var line: [UInt8] = []
        swap(&line, &carry)
        isCarryHandedOut = false
        return line
    }

    /// Gives a buffer back that ``takeCarriedLine()`` handed out, so that its memory is reused.
    mutating func reuse(_ buffer: inout [UInt8]) {
        guard carry.isEmpty, buffer.capacity <= ServerLimits.idleBufferBytesMax else { return }
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &carry)
    }

    /// Forgets the line under way: its end will not come.
    mutating func forgetLine() {
        carry = []
        isCarryHandedOut = false
        isSkipping = false
    }

    /// Gives memory back when no line is under way.
    mutating func releaseIdleMemory() {
        if !isInsideLine { carry = [] }
    }

    /// Keeps the beginning of a line whose end is not there yet.
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
        noteBeginning(UnsafeRawBufferPointer(rebasing: chunk[start...]))
        carry = []
        return skipped > lineBytesHard ? flood() : .tooLong
    }

    /// Remembers how a line begins that is too long: what was carried of it, then `rest`.
    private mutating func noteBeginning(_ rest: UnsafeRawBufferPointer) {
        beginning = Array(carry.prefix(ForeignSpeech.beginningBytesMax))
        beginning += rest.prefix(ForeignSpeech.beginningBytesMax - beginning.count)
    }

    /// Ends the carried line with the bytes of `range`; `nil` when it turned out to be empty.
    private mutating func finishCarry(
        _ chunk: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> Event? {
        let last = range.isEmpty ? carry[carry.count - 1] : chunk[range.upperBound - 1]
        let length = carry.count + range.count - (last == UInt8(ascii: "\r") ? 1 : 0)
        guard length <= lineBytesMax else {
            noteBeginning(UnsafeRawBufferPointer(rebasing: chunk[range]))
            carry = []
            return length > lineBytesHard ? .flood : .tooLong
        }
        carry.append(contentsOf: chunk[range])
        carry.removeLast(carry.count - length)
        guard length > 0 else { return nil }
        isCarryHandedOut = true
        return .carriedLine
    }

    private mutating func flood() -> Event {
        isSkipping = true
        return .flood
    }
}
