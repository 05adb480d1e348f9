/// Turns the bytes of a client into requests of HTTP/1.1 (RFC 9112), resumable at any byte.
///
/// It is strict: everything that isn't written as the standard's grammar has it is refused, and
/// everything that two readers could understand in two ways.
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
        case length(Int)
        case chunkSize
        case chunkData(Int)
        case chunkDataEnd
        case trailer
        case complete
        case refused(HTTPRefusal)
    }

    private let bodyBytesMax: Int
    private var phase = Phase.head
    /// The bytes of an unfinished head, of the size of a chunk, or of a trailer.
    private var carried: [UInt8] = []
    /// The beginnings of lines in them.
    private var lineStarts: [Int] = []
    /// The bytes of the body so far.
    private var bodyBytes = 0
    private var extensionBytes = 0
    /// Whether an empty line came before the request line.
    private var hasSkippedLine = false

    /// A parser at the beginning of a connection.
    ///
    /// - Parameter bodyBytesMax: Bytes of the longest body.
    public init(bodyBytesMax: Int) { self.bodyBytesMax = bodyBytesMax }

    /// Whether a request has begun that isn't complete.
    public var isInsideRequest: Bool {
        if case .head = phase { return !carried.isEmpty }
        return true
    }

    /// Bytes in memory of an unfinished request, without its body.
    public var carriedBytes: Int { carried.count }

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
            position = chunk.count
            return .refusal(error)
        }
    }

    private mutating func step(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) -> Step {
        while true {
            switch phase {
            case .head: return try readHead(chunk, &position) ?? .needsMore
            case .length(let rest):
                guard position < chunk.count else { return .needsMore }
                let range = position..<min(chunk.count, position + rest)
                position = range.upperBound
                phase = range.count == rest ? .complete : .length(rest - range.count)
                return .body(range)
            case .chunkSize:
                guard
                    let line = try takeLine(
                        chunk, &position,
                        max: HTTPLimits.chunkDigitsMax + HTTPLimits.extensionBytesMax + 2)
                else { return .needsMore }
                try readChunkSize(line)
            case .chunkData(let rest):
                guard position < chunk.count else { return .needsMore }
                let range = position..<min(chunk.count, position + rest)
                position = range.upperBound
                phase = range.count == rest ? .chunkDataEnd : .chunkData(rest - range.count)
                return .body(range)
            case .chunkDataEnd:
                guard let line = try takeLine(chunk, &position, max: 2) else { return .needsMore }
                guard line.isEmpty else { throw HTTPRefusal(400, "a chunk is longer than it says") }
                phase = .chunkSize
            case .trailer:
                guard let line = try takeLine(chunk, &position, max: HTTPLimits.trailerBytesMax)
                else {
                    return .needsMore
                }
                extensionBytes += line.count + 2
                guard extensionBytes <= HTTPLimits.trailerBytesMax else {
                    throw HTTPRefusal(431, "fields after the body have at most 4 KiB")
                }
                if line.isEmpty {
                    phase = .complete
                } else {
                    _ = try HTTPHeadReader(bodyBytesMax: 0).field(line[...])
                }
            case .complete:
                begin()
                return .end
            case .refused(let refusal):
                position = chunk.count
                return .refusal(refusal)
            }
        }
    }

    private mutating func begin() {
        phase = .head
        bodyBytes = 0
        extensionBytes = 0
        hasSkippedLine = false
    }

    // MARK: Head

    /// Collects lines until the empty one.
    private mutating func readHead(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(HTTPRefusal) -> Step? {
        while position < chunk.count {
            let rest = UnsafeRawBufferPointer(rebasing: chunk[position...])
            guard let feed = rest.firstIndex(of: 0x0A) else {
                carried.append(contentsOf: rest)
                position = chunk.count
                try checkHead()
                return nil
            }
            carried.append(contentsOf: rest[...feed])
            position += feed + 1
            let start = lineStarts.last ?? 0
            let count = carried.count - start
            guard count >= 2, carried[carried.count - 2] == 0x0D else {
                throw HTTPRefusal(400, "a line ends with CR and LF")
            }
            try checkHead()
            guard count == 2 else {
                lineStarts.append(carried.count)
                guard lineStarts.count <= HTTPLimits.fieldsMax + 1 else {
                    throw HTTPRefusal(431, "a request has at most \(HTTPLimits.fieldsMax) fields")
                }
                continue
            }
            if lineStarts.isEmpty {
                guard !hasSkippedLine else { throw HTTPRefusal(400, "a request line is missing") }
                hasSkippedLine = true
                carried.removeAll(keepingCapacity: true)
                continue
            }
            return .head(try finishHead())
        }
        return nil
    }

    private func checkHead() throws(HTTPRefusal) {
        if lineStarts.isEmpty, carried.count > HTTPLimits.requestLineBytesMax {
            throw HTTPRefusal(414, "a request line has at most 8 KiB")
        }
        if carried.count > HTTPLimits.headBytesMax {
            throw HTTPRefusal(431, "a head has at most 16 KiB")
        }
    }

    private mutating func finishHead() throws(HTTPRefusal) -> HTTPRequestHead {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for end in lineStarts {
            let line = carried[start..<(end - 2)]
            guard !line.contains(0x0D) else { throw HTTPRefusal(400, "a CR stands before a LF") }
            lines.append(line)
            start = end
        }
        let head = try HTTPHeadReader(bodyBytesMax: bodyBytesMax).read(lines)
        carried.removeAll(keepingCapacity: true)
        lineStarts.removeAll(keepingCapacity: true)
        switch head.body {
        case .none: phase = .complete
        case .length(let count): phase = .length(count)
        case .chunked: phase = .chunkSize
        }
        return head
    }

    // MARK: Chunks

    /// A line without its end; `nil` if the chunk has no end for it.
    private mutating func takeLine(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int, max: Int
    ) throws(HTTPRefusal) -> [UInt8]? {
        while position < chunk.count {
            let byte = chunk[position]
            position += 1
            carried.append(byte)
            guard carried.count <= max else {
                throw HTTPRefusal(
                    max == 2 ? 400 : 431,
                    max == 2
                        ? "a chunk is longer than it says" : "a line within the body is too long")
            }
            if byte == 0x0A {
                guard carried.count >= 2, carried[carried.count - 2] == 0x0D else {
                    throw HTTPRefusal(400, "a line ends with CR and LF")
                }
                defer { carried.removeAll(keepingCapacity: true) }
                return Array(carried.dropLast(2))
            }
            if carried.count >= 2, carried[carried.count - 2] == 0x0D {
                throw HTTPRefusal(400, "a CR stands before a LF")
            }
        }
        return nil
    }

    private mutating func readChunkSize(_ line: [UInt8]) throws(HTTPRefusal) {
        let digits = line.prefix { HTTPBytes.hex($0) != nil }
        guard (1...HTTPLimits.chunkDigitsMax).contains(digits.count) else {
            throw HTTPRefusal(400, "the size of a chunk has 1 to 8 hexadecimal digits")
        }
        extensionBytes += line.count - digits.count
        guard extensionBytes <= HTTPLimits.extensionBytesMax else {
            throw HTTPRefusal(431, "extensions of chunks have at most 1 KiB")
        }
        guard Self.areExtensions(line[digits.count...]) else {
            throw HTTPRefusal(400, "after the size of a chunk comes the end of the line")
        }
        let size = digits.reduce(0) { $0 << 4 | Int(HTTPBytes.hex($1) ?? 0) }
        guard size <= bodyBytesMax - bodyBytes else {
            throw HTTPRefusal(413, "a body has at most \(bodyBytesMax) bytes")
        }
        bodyBytes += size
        if size == 0 {
            extensionBytes = 0
            phase = .trailer
        } else {
            phase = .chunkData(size)
        }
    }

    /// Whether it is a list of extensions (RFC 9112, section 7.1.1).
    private static func areExtensions(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        func skipBlanks() { rest = rest.drop(while: HTTPBytes.isBlank) }
        while !rest.isEmpty {
            skipBlanks()
            guard rest.popFirst() == UInt8(ascii: ";") else { return false }
            skipBlanks()
            let name = rest.prefix(while: HTTPBytes.isToken)
            guard !name.isEmpty else { return false }
            rest = rest.dropFirst(name.count)
            let afterName = rest
            skipBlanks()
            guard rest.first == UInt8(ascii: "=") else {
                rest = afterName
                guard rest.isEmpty || rest.drop(while: HTTPBytes.isBlank).first == UInt8(ascii: ";")
                else { return false }
                continue
            }
            rest = rest.dropFirst()
            skipBlanks()
            guard takeValue(&rest) else { return false }
        }
        return true
    }

    private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix(while: HTTPBytes.isToken)
            rest = rest.dropFirst(token.count)
            return !token.isEmpty
        }
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return true }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), HTTPBytes.isValue(escaped) else {
                    return false
                }
            } else if !HTTPBytes.isValue(byte) {
                return false
            }
        }
        return false
    }
}
