/// Reads the lines of a head, one after the other, without their ends.
///
/// What isn't exactly as RFC 9112 writes it is refused: two programs that read a request
/// differently can be played against each other.
struct HTTPHeadReader: Sendable {
    /// What the lines say so far; `nil` before the request line.
    private var head: HTTPRequestHead?

    /// Whether the request line was read.
    var hasBegun: Bool { head != nil }

    /// The number of fields that were read.
    var fieldCount: Int { head?.fields.count ?? 0 }

    /// Reads the request line, or the next field.
    mutating func read(_ line: Span<UInt8>) throws(HTTPRefusal) {
        guard hasBegun else {
            head = try Self.requestLine(line)
            return
        }
        guard fieldCount < HTTPLimits.fieldsMax else {
            throw HTTPRefusal(431, "a request has at most \(HTTPLimits.fieldsMax) fields")
        }
        let (colon, value) = try Self.field(line)
        head?.fields.append(line, nameEnd: colon, value: value)
    }

    /// The head, after the empty line that ends it; the reader is at the beginning of the next.
    ///
    /// - Parameter bodyBytesMax: Bytes of the longest body.
    mutating func finish(bodyBytesMax: Int) throws(HTTPRefusal) -> HTTPRequestHead {
        guard var head = head.take() else {
            throw HTTPRefusal(400, "a request line is missing")
        }
        try Self.checkHost(&head)
        head.body = try Self.body(head, bodyBytesMax)
        head.expectsContinue = try Self.expectsContinue(head)
        if head.all("connection").contains(where: { $0.lists("close") }) {
            head.keepsAlive = false
        }
        return head
    }

    // MARK: Request line

    private static func requestLine(_ line: Span<UInt8>) throws(HTTPRefusal) -> HTTPRequestHead {
        let methodEnd = end(of: line, from: 0, while: HTTPBytes.isToken)
        let targetStart = methodEnd + 1
        let targetEnd = end(of: line, from: targetStart, while: HTTPBytes.isTarget)
        guard methodEnd > 0, isSpace(line, methodEnd), targetStart < line.count,
            !isSpace(line, targetStart)
        else {
            throw HTTPRefusal(
                400,
                "a request line is a method, a target and HTTP/1.1, with one space between them")
        }
        guard targetEnd < line.count else {
            throw HTTPRefusal(400, "a request line ends with HTTP/1.1")
        }
        guard isSpace(line, targetEnd) else {
            throw HTTPRefusal(400, "a target has no such byte: escape it")
        }
        let isVersion10 = try version(line, (targetEnd + 1)..<line.count)
        let method = HTTPMethod(line.extracting(0..<methodEnd))
        var start = targetStart
        var host: ArraySlice<UInt8> = []
        if HTTPBytes.isText(line, targetStart..<targetEnd, "*") {
            guard method == .options else { throw HTTPRefusal(400, "* is for OPTIONS") }
        } else if line[targetStart] != UInt8(ascii: "/") {
            (host, start) = try absolute(line, targetStart..<targetEnd)
        }
        let pathEnd = min(targetEnd, end(of: line, from: start) { $0 != UInt8(ascii: "?") })
        return HTTPRequestHead(
            method: method, path: HTTPBytes.copy(line, start..<pathEnd),
            query: pathEnd < targetEnd ? HTTPBytes.copy(line, (pathEnd + 1)..<targetEnd) : nil,
            host: host, isVersion10: isVersion10, keepsAlive: !isVersion10, body: .none,
            expectsContinue: false, fields: HTTPFields())
    }

    private static func version(
        _ line: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPRefusal) -> Bool {
        if HTTPBytes.isText(line, range, "HTTP/1.1") { return false }
        if HTTPBytes.isText(line, range, "HTTP/1.0") { return true }
        let start = range.lowerBound
        let isVersion =
            range.count == 8 && HTTPBytes.isText(line, start..<(start + 5), "HTTP/")
            && HTTPBytes.isDigit(line[start + 5]) && line[start + 6] == UInt8(ascii: ".")
            && HTTPBytes.isDigit(line[start + 7])
        throw isVersion
            ? HTTPRefusal(505, "the versions are HTTP/1.1 and HTTP/1.0")
            : HTTPRefusal(400, "a request line ends with HTTP/1.1")
    }

    /// The host of a target in absolute form, and where its path begins.
    private static func absolute(
        _ line: Span<UInt8>, _ range: Range<Int>
    ) throws(HTTPRefusal) -> (ArraySlice<UInt8>, Int) {
        let text = HTTPBytes.copy(line, range)
        let schemes: [StaticString] = ["http://", "https://"]
        let scheme = schemes.first { HTTPBytes.isWord(text.prefix($0.utf8CodeUnitCount), $0) }
        guard let count = scheme?.utf8CodeUnitCount else {
            throw HTTPRefusal(400, "a target begins with a slash")
        }
        let isEnd = { (byte: UInt8) in byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") }
        guard let slash = text[count...].firstIndex(where: isEnd),
            text[slash] == UInt8(ascii: "/")
        else { throw HTTPRefusal(400, "a target has a path") }
        let host = text[count..<slash]
        guard HTTPHost.isValid(host) else {
            throw HTTPRefusal(400, "the target's host is no host")
        }
        return (host, range.lowerBound + slash)
    }

    // MARK: Fields

    /// Where the name of a field ends, and where its value is. The colon follows the name at once.
    static func field(_ line: Span<UInt8>) throws(HTTPRefusal) -> (colon: Int, value: Range<Int>) {
        let colon = end(of: line, from: 0, while: HTTPBytes.isToken)
        guard colon < line.count else {
            throw HTTPRefusal(400, "a field has a colon after its name")
        }
        guard colon > 0, line[colon] == UInt8(ascii: ":") else {
            throw HTTPRefusal(400, "a field's name has no such byte, and no line is folded")
        }
        let start = end(of: line, from: colon + 1, while: HTTPBytes.isBlank)
        var end = line.count
        while end > start, HTTPBytes.isBlank(line[end - 1]) { end -= 1 }
        guard Self.end(of: line, from: start, while: HTTPBytes.isValue) == line.count else {
            throw HTTPRefusal(400, "a field's value has no such byte")
        }
        if isOfLength(line, colon), hasTab(line, colon..<start) || hasTab(line, end..<line.count) {
            throw HTTPRefusal(400, "only spaces are around a value that says a body's length")
        }
        return (colon, start..<end)
    }

    /// Whether a name is of a field by which a body's length is known. Blanks around its value may
    /// be tabs (RFC 9110, 5.6.3), but other parsers don't agree on what such a value says then.
    private static func isOfLength(_ line: Span<UInt8>, _ colon: Int) -> Bool {
        guard colon == 14 || colon == 17 else { return false }
        return HTTPBytes.isWord(line, to: colon, "content-length")
            || HTTPBytes.isWord(line, to: colon, "transfer-encoding")
    }

    private static func hasTab(_ line: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.contains { line[$0] == 0x09 }
    }

    /// The first index from `start` on whose byte isn't of a class.
    private static func end(
        of line: Span<UInt8>, from start: Int, while isOfClass: (UInt8) -> Bool
    ) -> Int {
        var index = start
        while index < line.count, isOfClass(line[index]) { index += 1 }
        return index
    }

    private static func isSpace(_ line: Span<UInt8>, _ index: Int) -> Bool {
        index < line.count && line[index] == 0x20
    }

    // MARK: What the fields mean

    private static func checkHost(_ head: inout HTTPRequestHead) throws(HTTPRefusal) {
        guard let host = head.only("host")?.value else {
            throw HTTPRefusal(400, "a request has exactly one Host")
        }
        guard HTTPHost.isValid(host) else {
            throw HTTPRefusal(400, "Host is a host, with a port if needed")
        }
        let isSame = head.host.lazy.map(HTTPBytes.lower).elementsEqual(
            host.lazy.map(HTTPBytes.lower))
        guard head.host.isEmpty || isSame else {
            throw HTTPRefusal(400, "the target's host is another one than Host")
        }
        head.host = host
    }

    private static func body(
        _ head: HTTPRequestHead, _ bodyBytesMax: Int
    ) throws(HTTPRefusal) -> HTTPRequestHead.Body {
        let length = head.only("content-length")?.value
        let coding = head.only("transfer-encoding")?.value
        let isOne = length == nil || coding == nil
        guard isOne, length != nil || !head.has("content-length"),
            coding != nil || !head.has("transfer-encoding")
        else {
            throw HTTPRefusal(400, "a request has one Content-Length, or one Transfer-Encoding")
        }
        var body = HTTPRequestHead.Body.none
        if let coding {
            guard !head.isVersion10 else {
                throw HTTPRefusal(400, "HTTP/1.0 has no Transfer-Encoding")
            }
            guard HTTPBytes.isWord(coding, "chunked") else {
                throw HTTPRefusal(501, "the only coding is chunked")
            }
            body = .chunked
        } else if let length {
            // So few digits can't overflow.
            guard (1...HTTPLimits.lengthDigitsMax).contains(length.count),
                length.allSatisfy(HTTPBytes.isDigit)
            else { throw HTTPRefusal(400, "Content-Length is a number of bytes") }
            let count = length.reduce(0) { $0 * 10 + Int($1 - 0x30) }
            guard count <= bodyBytesMax else {
                throw HTTPRefusal(413, "a body has at most \(bodyBytesMax) bytes")
            }
            if count > 0 { body = .length(count) }
        }
        guard body == .none || head.method.mayHaveBody else {
            throw HTTPRefusal(400, "\(head.method.text) has no body")
        }
        return body
    }

    private static func expectsContinue(_ head: HTTPRequestHead) throws(HTTPRefusal) -> Bool {
        guard head.has("expect") else { return false }
        guard let expectation = head.only("expect")?.value,
            HTTPBytes.isWord(expectation, "100-continue")
        else {
            throw HTTPRefusal(417, "the only expectation is 100-continue")
        }
        return !head.isVersion10
    }
}
