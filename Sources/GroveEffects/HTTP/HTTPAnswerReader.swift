import Transducers

/// Puts an answer together from what arrives of it, within bounds.
struct HTTPAnswerReader {
    /// Bytes of the body that may be read.
    let bodyBytesMax: Int
    /// Whether the answer has a body, whatever its headers say; not to HEAD.
    let expectsBody: Bool

    /// The answer as far as it was read.
    private(set) var answer = HTTPAnswer()
    /// Whether the headers are complete.
    private(set) var hasHead = false
    /// Whether they have more than ``HTTPAnswer/headBytesMax`` bytes.
    private(set) var isHeadTooLarge = false
    private var headBytes = 0

    init(bodyBytesMax: Int, expectsBody: Bool) {
        self.bodyBytesMax = bodyBytesMax
        self.expectsBody = expectsBody
    }

    /// Reads a line of the head: a status line, a header, or the empty line after them.
    ///
    /// - Returns: Whether to continue.
    mutating func read(line: UnsafeRawBufferPointer) -> Bool {
        headBytes += line.count
        guard headBytes <= HTTPAnswer.headBytesMax else {
            isHeadTooLarge = true
            return false
        }
        // Headers after the body aren't used.
        guard !hasHead else { return true }
        let text = Self.trimmed(line[...])
        if text.isEmpty { return endHead() }
        // A further head: the one before was an interim answer.
        if text.starts(with: "HTTP/".utf8) {
            answer.headers = []
            let status = text.split(separator: UInt8(ascii: " ")).dropFirst().first
            answer.status = status.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            return true
        }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return true }
        let name = String(decoding: Self.trimmed(text[..<colon]), as: UTF8.self).lowercased()
        let value = Self.trimmed(text[text.index(after: colon)...])
        answer.headers.append((name, String(decoding: value, as: UTF8.self)))
        return true
    }

    private mutating func endHead() -> Bool {
        // Another head follows an interim one.
        guard answer.status >= 200 else { return true }
        hasHead = true
        let announced = answer.header("content-length").flatMap { Int($0) }
        guard expectsBody, let announced, announced > bodyBytesMax else { return true }
        answer.isTooLarge = true
        return false
    }

    /// Reads a part of the body.
    ///
    /// - Returns: Whether to continue.
    mutating func read(body part: UnsafeRawBufferPointer) -> Bool {
        guard answer.body.count + part.count <= bodyBytesMax else {
            answer.isTooLarge = true
            answer.body = []
            return false
        }
        answer.body.append(contentsOf: part)
        return true
    }

    private static func trimmed(
        _ text: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
        let isBlank: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        let start = text.drop(while: isBlank)
        guard let last = start.lastIndex(where: { !isBlank($0) }) else {
            return start[start.startIndex..<start.startIndex]
        }
        return start[...last]
    }
}
