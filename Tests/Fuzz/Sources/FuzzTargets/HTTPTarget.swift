import GroveHTTP

extension FuzzTarget {
    /// Bytes of a client of HTTP. The first byte of the input is the length of the pieces in which
    /// the rest comes once more: the steps must be the same. A request that is accepted is written
    /// plainly and read again, and must be the same request.
    static let http = FuzzTarget(
        "http",
        words: [
            "\r\n", "\r\n\r\n", "\n", "\r", " ", "\t", ":", ";", "=", "\"", "\\", "\0", "%2F", "?",
            "GET / HTTP/1.1\r\n", "POST /e HTTP/1.1\r\n", "OPTIONS * HTTP/1.1\r\n", "HTTP/1.0",
            "http://h/", "Host: h\r\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
            "Expect: 100-continue\r\n", "Connection: close\r\n", "0\r\n\r\n", "3\r\nabc\r\n",
            "ffffffff", "[::1]:80", "Upgrade: websocket\r\n", "chunked, ", "9999999999999999",
        ],
        smokeInputs: 40_000
    ) { input in
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = try HTTPReading(bytes, pieceLength: max(1, bytes.count))
        for pieceLength in [max(1, Int(first)), 1] {
            let pieces = try HTTPReading(bytes, pieceLength: pieceLength)
            guard pieces == whole else {
                throw Finding("in pieces of \(pieceLength): \(pieces), not \(whole)")
            }
        }
        for request in whole.requests { try request.check() }
    }
}

/// What a parser makes of some bytes.
private struct HTTPReading: Equatable {
    /// A whole request.
    struct Request: Equatable {
        let method: String
        let path: [UInt8]
        let query: [UInt8]?
        let host: [UInt8]
        let isVersion10: Bool
        let fields: [HTTPField]
        var body: [UInt8] = []

        init(_ head: HTTPRequestHead) {
            method = head.method.text
            path = head.path
            query = head.query
            host = Array(head.host)
            isVersion10 = head.isVersion10
            fields = Array(head.fields)
        }
    }

    static let bodyBytesMax = 100
    /// The bounds of a head: its bytes, and what each of 64 fields costs beside them.
    private static let carriedBytesMax = (16 << 10) + 64 * 96

    var requests: [Request] = []
    var refusal: HTTPRefusal?
    var isUnfinished = false

    init(_ bytes: [UInt8], pieceLength: Int) throws {
        var parser = HTTPParser(bodyBytesMax: Self.bodyBytesMax)
        var open: Request?
        for start in stride(from: 0, to: bytes.count, by: pieceLength) where refusal == nil {
            let piece = Array(bytes[start..<min(bytes.count, start + pieceLength)])
            try read(piece, &parser, &open)
            try Self.require(parser.carriedBytes <= Self.carriedBytesMax, "too much is kept")
        }
        isUnfinished = parser.isInsideRequest
        try Self.require(open == nil || isUnfinished, "a request is forgotten")
    }

    private mutating func read(
        _ piece: [UInt8], _ parser: inout HTTPParser, _ open: inout Request?
    ) throws {
        var position = 0
        while true {
            let before = position
            let step = piece.withUnsafeBytes { parser.next(in: $0, from: &position) }
            try Self.require((before...piece.count).contains(position), "it leaves the piece")
            switch step {
            case .head(let head):
                try Self.require(open == nil, "a head within a request")
                open = Request(head)
            case .body(let range):
                try Self.require(!range.isEmpty, "a body without bytes")
                try Self.require(
                    range.lowerBound >= before && range.upperBound == position,
                    "a body from elsewhere")
                open?.body += piece[range]
                try Self.require(
                    (open?.body.count).map { $0 <= Self.bodyBytesMax } ?? false, "a long body")
            case .end:
                guard let request = open else { throw Finding("an end without a head") }
                requests.append(request)
                open = nil
            case .needsMore: return try Self.require(position == piece.count, "bytes are left")
            case .refusal(let refusal):
                self.refusal = refusal
                open = nil
                return
            }
        }
    }

    fileprivate static func require(_ holds: Bool, _ problem: String) throws {
        if !holds { throw Finding(problem) }
    }
}

extension HTTPReading.Request {
    /// Writes the request plainly and reads it again; and reads the parts of its target.
    func check() throws {
        let target = path + (query.map { [UInt8(ascii: "?")] + $0 } ?? [])
        var bytes = Array("\(method) ".utf8) + target
        bytes += " HTTP/1.\(isVersion10 ? 0 : 1)\r\n".utf8
        for field in fields where !field.name.elementsEqual("transfer-encoding".utf8) {
            bytes += field.name + Array(": ".utf8) + field.value + Array("\r\n".utf8)
        }
        let hasLength = fields.contains { $0.name.elementsEqual("content-length".utf8) }
        if !hasLength, !body.isEmpty { bytes += "content-length: \(body.count)\r\n".utf8 }
        bytes += Array("\r\n".utf8) + body
        let again = try HTTPReading(bytes, pieceLength: bytes.count)
        try HTTPReading.require(again.requests.count == 1 && !again.isUnfinished, "not one again")
        guard let read = again.requests.first else { return }
        try HTTPReading.require(
            read.method == method && read.path == path && read.query == query && read.host == host
                && read.isVersion10 == isVersion10 && read.body == body,
            "another request again")
        if case .success(let segments) = HTTPTarget.segments(of: path) {
            let isPlain = segments.allSatisfy {
                !$0.isEmpty && !$0.contains(UInt8(ascii: "/")) && $0 != [0x2E]
                    && $0 != [0x2E, 0x2E]
                    && $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                    && String(validating: $0, as: UTF8.self) != nil
            }
            try HTTPReading.require(isPlain, "a segment that is none")
        }
        if let query, case .success(let pairs) = HTTPTarget.query(query) {
            try HTTPReading.require(
                Set(pairs.map(\.name)).count == pairs.count, "a name stands twice")
        }
    }
}
