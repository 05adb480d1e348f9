import GroveWire

/// Turns the bytes of a client into requests of HTTP/1.1 (RFC 9112), resumable at any byte.
///
/// It is strict: everything that isn't written as the standard's grammar has it is refused, and
/// everything that two readers could understand in two ways. A line is read when its end is there,
/// straight from the chunk if all of it is in one. Where the bytes are cut changes nothing but the
/// ranges of a body.
public struct HTTPParser: Sendable {
    /// The meaning of the next bytes.
    public enum Step: Sendable {
        /// The head of a request.
        case head(HTTPRequestHead)
        /// A part of its body, as a range of the chunk.
        case body(Range<Int>)
        /// The request is complete. What follows in the chunk isn't looked at until the next call.
        case end
        /// The chunk has nothing more.
        case needsMore
        /// The request is refused, and so is every further call.
        case refusal(HTTPRefusal)
    }

    private enum Phase: Sendable {
        case head
        /// The head is read; its end was reached with the last line.
        case headComplete
        /// Within a body, of which these bytes are missing.
        case length(Int)
        case chunkSize
        case chunkData(Int)
        case chunkDataReturn, chunkDataNewline
        case trailer
        case complete
        case refused(HTTPRefusal)
    }

    /// What a field costs beside its bytes, and its share of what a head costs.
    private static let fieldOverheadBytes = 96

    private let bodyBytesMax: Int
    private var phase = Phase.head
    /// The bytes of a line that hasn't ended.
    private var carried: [UInt8] = []
    private var reader = HTTPHeadReader()
    /// The bytes of the lines of the head so far.
    private var headBytes = 0
    /// Whether an empty line came before the request line.
    private var hasSkippedLine = false
    /// The bytes of the body so far, of chunks that have begun.
    private var bodyBytes = 0
    private var extensionBytes = 0
    private var trailerBytes = 0

    /// A parser at the beginning of a connection.
    ///
    /// - Parameter bodyBytesMax: Bytes of the longest body.
    public init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

    /// Whether a request has begun that isn't complete.
    public var isInsideRequest: Bool {
        if case .head = phase { return reader.hasBegun || !carried.isEmpty }
        return true
    }

    /// Bytes in memory of an unfinished request, without its body. A field counts with more than it
    /// costs beside its bytes.
    public var carriedBytes: Int {
        carried.count + headBytes + reader.fieldCount * Self.fieldOverheadBytes
    }

    /// Gives up memory that isn't needed between two requests.
    public mutating func releaseIdleMemory() {
        if carried.isEmpty { carried = [] }
    }

    /// Reads `chunk` from `position` on, and moves `position` after the bytes of the step.
    public mutating func next(
        in chunk: UnsafeRawBufferPointer, from position: inout Int
    ) -> Step {
        do throws(HTTPRefusal) {
            return try step(chunk, &position)
        } catch {
            phase = .refused(error)
            carried = []
            reader = HTTPHeadReader()
            headBytes = 0
            position = chunk.count
            return .refusal(error)
        }
    }

    private mutating func step(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) -> Step {
        while true {
            switch phase {
            case .head:
                guard try readHeadLine(chunk, &position) else { return .needsMore }
            case .headComplete: return .head(try finishHead())
            case .length(let rest):
                guard position < chunk.count else { return .needsMore }
                let range = take(rest, chunk, &position)
                phase = range.count == rest ? .complete : .length(rest - range.count)
                return .body(range)
            case .chunkSize:
                guard try readChunkSize(chunk, &position) else { return .needsMore }
            case .chunkData(let rest):
                guard position < chunk.count else { return .needsMore }
                let range = take(rest, chunk, &position)
                phase = range.count == rest ? .chunkDataReturn : .chunkData(rest - range.count)
                return .body(range)
            case .chunkDataReturn:
                guard position < chunk.count else { return .needsMore }
                try takeByte(0x0D, chunk, &position)
                phase = .chunkDataNewline
            case .chunkDataNewline:
                guard position < chunk.count else { return .needsMore }
                try takeByte(0x0A, chunk, &position)
                phase = .chunkSize
            case .trailer:
                guard try readTrailer(chunk, &position) else { return .needsMore }
            case .complete:
                phase = .head
                return .end
            case .refused(let refusal):
                position = chunk.count
                return .refusal(refusal)
            }
        }
    }

    // MARK: Lines

    /// Reads the line at `position`, and moves `position` after it; else keeps its beginning.
    ///
    /// - Parameters:
    ///   - max: Bytes of the longest line, with its end.
    ///   - excess: The refusal of a longer one.
    ///   - read: Gets the line without its end.
    /// - Returns: Whether there was a line.
    private mutating func readLine(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int, max: Int,
        excess: @autoclosure () -> HTTPRefusal,
        read: (inout HTTPParser, Span<UInt8>) throws(HTTPRefusal) -> Void
    ) throws(HTTPRefusal) -> Bool {
        let start = position
        let newline = ByteScan.newline(in: chunk, from: start)
        let end = newline.map { $0 + 1 } ?? chunk.count
        guard carried.count + end - start <= max else { throw excess() }
        position = end
        let bytes = UnsafeRawBufferPointer(rebasing: chunk[start..<end])
        guard newline != nil else {
            carried.append(contentsOf: bytes)
            return false
        }
        let beforeNewline = bytes.count > 1 ? bytes[bytes.count - 2] : carried.last
        guard beforeNewline == 0x0D else { throw HTTPRefusal(400, "a line ends with CR and LF") }
        guard !carried.isEmpty else {
            let line = UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self).dropLast(2))
            try read(&self, line.span)
            return true
        }
        var line: [UInt8] = []
        swap(&line, &carried)
        line.append(contentsOf: bytes)
        line.removeLast(2)
        try read(&self, line.span)
        line.removeAll(keepingCapacity: true)
        swap(&line, &carried)
        return true
    }

    // MARK: Head

    private mutating func readHeadLine(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) -> Bool {
        let isFirst = !reader.hasBegun
        // A client of another protocol learns it at once, and not when its time is over.
        if isFirst, carried.isEmpty, position < chunk.count, chunk[position] != 0x0D,
            !HTTPBytes.isToken(chunk[position])
        {
            throw HTTPRefusal(
                400,
                "this port speaks HTTP, and a request begins with a method; lines of JSON "
                    + "belong to an address of listen")
        }
        let max =
            isFirst ? HTTPLimits.requestLineBytesMax : HTTPLimits.headBytesMax - headBytes
        return try readLine(
            chunk, &position, max: max,
            excess: isFirst
                ? HTTPRefusal(414, "a request line has at most 8 KiB")
                : HTTPRefusal(431, "a head has at most 16 KiB")
        ) { parser, line throws(HTTPRefusal) in
            guard line.isEmpty else {
                parser.headBytes += line.count + 2
                return try parser.reader.read(line)
            }
            if parser.reader.hasBegun {
                parser.phase = .headComplete
            } else if parser.hasSkippedLine {
                throw HTTPRefusal(400, "a request line is missing")
            } else {
                parser.hasSkippedLine = true
            }
        }
    }

    private mutating func finishHead() throws(HTTPRefusal) -> HTTPRequestHead {
        let head = try reader.finish(bodyBytesMax: bodyBytesMax)
        headBytes = 0
        hasSkippedLine = false
        switch head.body {
        case .none: phase = .complete
        case .length(let count): phase = .length(count)
        case .chunked:
            phase = .chunkSize
            bodyBytes = 0
            extensionBytes = 0
            trailerBytes = 0
        }
        return head
    }

    // MARK: Bodies

    /// Moves `position` over as many bytes as there are, at most `count`.
    private func take(
        _ count: Int, _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) -> Range<Int> {
        let range = position..<(position + min(count, chunk.count - position))
        position = range.upperBound
        return range
    }

    /// Moves `position` over a byte of the end of a chunk's data.
    private func takeByte(
        _ byte: UInt8, _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) {
        guard chunk[position] == byte else {
            throw HTTPRefusal(400, "after the data of a chunk come CR and LF")
        }
        position += 1
    }

    private mutating func readChunkSize(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) -> Bool {
        try readLine(
            chunk, &position,
            max: HTTPLimits.chunkDigitsMax + HTTPLimits.extensionBytesMax - extensionBytes + 2,
            excess: HTTPRefusal(431, "extensions of chunks have at most 1 KiB")
        ) { parser, line throws(HTTPRefusal) in
            let (size, extensionBytes) = try HTTPChunkSize.read(line)
            parser.extensionBytes += extensionBytes
            guard parser.extensionBytes <= HTTPLimits.extensionBytesMax else {
                throw HTTPRefusal(431, "extensions of chunks have at most 1 KiB")
            }
            guard size <= parser.bodyBytesMax - parser.bodyBytes else {
                throw HTTPRefusal(413, "a body has at most \(parser.bodyBytesMax) bytes")
            }
            parser.bodyBytes += size
            parser.phase = size == 0 ? .trailer : .chunkData(size)
        }
    }

    /// Reads a field after the body, or the empty line after them. They mean nothing here.
    private mutating func readTrailer(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) -> Bool {
        try readLine(
            chunk, &position, max: HTTPLimits.trailerBytesMax - trailerBytes,
            excess: HTTPRefusal(431, "fields after the body have at most 4 KiB")
        ) { parser, line throws(HTTPRefusal) in
            parser.trailerBytes += line.count + 2
            if line.isEmpty {
                parser.phase = .complete
            } else {
                _ = try HTTPHeadReader.field(line)
            }
        }
    }
}
