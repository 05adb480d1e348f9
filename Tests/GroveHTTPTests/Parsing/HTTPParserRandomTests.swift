import GroveTestSupport
import Testing

@testable import GroveHTTP

@Suite("HTTPParser, random requests")
struct HTTPParserRandomTests {
    private static let bodyBytesMax = 300

    /// A request that must be accepted, and its parts.
    private struct Sample {
        var bytes: [UInt8] = []
        let method: String
        let target: String
        var body: [UInt8] = []

        init(using random: inout SeededRandom) {
            let hasBody = Bool.random(using: &random)
            let methods =
                hasBody ? ["POST", "PUT", "PATCH", "x-y"] : ["GET", "HEAD", "DELETE", "POST"]
            method = methods.randomElement(using: &random) ?? "GET"
            target = "/" + Self.text("aZ9-._~!$&'()*+,;=:@/?%", 0...20, &random)
            bytes +=
                "\(Bool.random(using: &random) ? "\r\n" : "")\(method) \(target) HTTP/1.1\r\n".utf8
            var fields = ["Host:\(Self.blanks(&random))h:80\(Self.blanks(&random))"]
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let name = Self.text("aZ9!#$%&'*+-.^_`|~", 1...8, &random)
                fields.append("x\(name):" + Self.text("aZ9 \t:;\"\\,\u{e4}", 0...20, &random))
            }
            guard hasBody else {
                fields.shuffle(using: &random)
                bytes += (fields.joined(separator: "\r\n") + "\r\n\r\n").utf8
                return
            }
            body = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                [0x0D, 0x0A, 0x30, 0x00, 0xFF].randomElement(using: &random) ?? 0
            }
            let isChunked = Bool.random(using: &random)
            fields.append(
                isChunked ? "transfer-Encoding: chunked" : "content-length: \(body.count)")
            fields.shuffle(using: &random)
            bytes += (fields.joined(separator: "\r\n") + "\r\n\r\n").utf8
            bytes += isChunked ? Self.chunks(of: body, using: &random) : body
        }

        private static func chunks(
            of body: [UInt8], using random: inout SeededRandom
        ) -> [UInt8] {
            var bytes: [UInt8] = []
            var rest = body[...]
            while true {
                let data = rest.prefix(Int.random(in: 1...20, using: &random))
                rest = rest.dropFirst(data.count)
                let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
                let extras = ["", "", ";a", " ; a=b", ";a=\"\\\"0\""]
                let extra = extras.randomElement(using: &random) ?? ""
                bytes += "\(zeros)\(String(data.count, radix: 16))\(extra)\r\n".utf8
                guard !data.isEmpty else { break }
                bytes += data + [0x0D, 0x0A]
            }
            let trailers = ["", "", "a: b\r\n", "content-length: 5\r\nx:\r\n"]
            return bytes + "\(trailers.randomElement(using: &random) ?? "")\r\n".utf8
        }

        private static func blanks(_ random: inout SeededRandom) -> String {
            text(" \t", 0...3, &random)
        }

        private static func text(
            _ alphabet: String, _ lengths: ClosedRange<Int>, _ random: inout SeededRandom
        ) -> String {
            String(
                (0..<Int.random(in: lengths, using: &random)).compactMap { _ in
                    alphabet.randomElement(using: &random)
                })
        }
    }

    @Test func `what is written by the grammar is accepted as it was meant, in any pieces`() {
        var random = SeededRandom(seed: 1)
        for round in 0..<3_000 {
            let samples = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                Sample(using: &random)
            }
            let expected = samples.map {
                RequestVerdict.accepted(method: $0.method, target: $0.target, body: $0.body)
            }
            let bytes = samples.flatMap(\.bytes)
            for piece in [bytes.count, Int.random(in: 1...30, using: &random), 1] {
                let verdicts = RequestVerdict.all(of: bytes, bodyBytesMax: Self.bodyBytesMax) { _ in
                    piece
                }
                guard verdicts == expected else {
                    let text = String(decoding: bytes, as: UTF8.self).debugDescription
                    Issue.record("round \(round), pieces of \(piece): \(text): \(verdicts)")
                    return
                }
            }
        }
    }

    @Test func `changed requests are read alike in any pieces`() {
        var random = SeededRandom(seed: 2)
        let seeds = RequestCorpus.entries.map(\.bytes).filter { $0.count < 600 }
        let words = [
            "\r\n", "\n", "\r", " ", ":", "0", "\0", "chunked", "Content-Length: 3\r\n", ";",
        ]
        for _ in 0..<20_000 {
            var bytes = seeds.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2:
                    bytes.insert(contentsOf: seeds.randomElement(using: &random) ?? [], at: place)
                default:
                    bytes.insert(
                        contentsOf: (words.randomElement(using: &random) ?? "").utf8, at: place)
                }
            }
            let piece = Int.random(in: 1...20, using: &random)
            let whole = RequestVerdict.all(of: bytes, bodyBytesMax: 100) { _ in bytes.count }
            let pieces = RequestVerdict.all(of: bytes, bodyBytesMax: 100) { _ in piece }
            guard whole == pieces else {
                let text = String(decoding: bytes, as: UTF8.self).debugDescription
                Issue.record("\(text): \(whole), in pieces of \(piece) \(pieces)")
                return
            }
        }
    }

    /// Endless heads, sizes and trailers are refused before they fill memory.
    @Test(arguments: [
        "a", "GET / HTTP/1.1\r\na", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nA: ",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0;a",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: ",
    ])
    func `an endless request is refused`(beginning: String) {
        for filling in ["a", "0", " ", "a: b\r\n", ":\r\n", "\r\n", "0\r\n", "1\r\na\r\n"] {
            var parser = HTTPParser(bodyBytesMax: Self.bodyBytesMax)
            var bytes = Array(beginning.utf8)
            var refused: Int?
            for _ in 0..<20_000 where refused == nil {
                var position = 0
                steps: while true {
                    switch bytes.withUnsafeBytes({ parser.next(in: $0, from: &position) }) {
                    case .refusal(let refusal):
                        refused = refusal.status
                        break steps
                    case .needsMore: break steps
                    case .head, .body, .end: break
                    }
                }
                #expect(parser.carriedBytes <= (16 << 10) + 64 * 96)
                bytes = Array(filling.utf8)
            }
            #expect(refused != nil, "\(beginning.debugDescription) and \(filling.debugDescription)")
        }
    }

    @Test func `after a refusal there is nothing but the same refusal`() {
        var parser = HTTPParser(bodyBytesMax: 0)
        let wrong = Array("GET\r\n".utf8)
        let right = Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
        var sentences: [String] = []
        for bytes in [wrong, right, []] {
            var position = 0
            if case .refusal(let refusal) = bytes.withUnsafeBytes({
                parser.next(in: $0, from: &position)
            }) {
                sentences.append(refusal.detail)
            }
            #expect(position == bytes.count)
        }
        #expect(sentences.count == 3 && Set(sentences).count == 1)
        #expect(parser.isInsideRequest && parser.carriedBytes == 0)
    }
}
