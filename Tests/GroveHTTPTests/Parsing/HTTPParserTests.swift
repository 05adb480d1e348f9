import GroveTestSupport
import Testing

@testable import GroveHTTP

@Suite("HTTPParser")
struct HTTPParserTests {
    /// What a parser makes of some bytes that come in pieces.
    private static func verdicts(
        _ bytes: [UInt8], pieces: (Int) -> Int
    ) -> [HostileRequests.Verdict] {
        var parser = HTTPParser(bodyBytesMax: HostileRequests.bodyBytesMax)
        var verdicts: [HostileRequests.Verdict] = []
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        var start = 0
        while start < bytes.count {
            let piece = Array(bytes[start..<min(bytes.count, start + max(1, pieces(start)))])
            start += piece.count
            var position = 0
            steps: while true {
                let step = piece.withUnsafeBytes { parser.next(in: $0, from: &position) }
                switch step {
                case .head(let accepted): head = accepted
                case .body(let range): body += piece[range]
                case .end:
                    verdicts.append(
                        .accepted(
                            head?.method.text ?? "",
                            String(decoding: head?.path ?? [], as: UTF8.self),
                            String(decoding: body, as: UTF8.self)))
                    head = nil
                    body = []
                case .needsMore: break steps
                case .refusal(let refusal): return verdicts + [.refused(refusal.status)]
                }
            }
        }
        return parser.isInsideRequest ? verdicts + [.unfinished] : verdicts
    }

    @Test(arguments: HostileRequests.all)
    func `requests are accepted or refused`(request: HostileRequests.Case) {
        let bytes = Array(request.text.utf8)
        #expect(
            Self.verdicts(bytes) { _ in bytes.count } == request.verdicts, "\(request.name)")
    }

    @Test(arguments: HostileRequests.all)
    func `it doesn't matter where the network cuts the bytes`(request: HostileRequests.Case) {
        let bytes = Array(request.text.utf8)
        #expect(Self.verdicts(bytes) { _ in 1 } == request.verdicts, "\(request.name)")
        for cut in 1..<bytes.count where cut < 200 || cut % 97 == 0 {
            let verdicts = Self.verdicts(bytes) { $0 < cut ? cut : bytes.count }
            if verdicts != request.verdicts {
                Issue.record("\(request.name), cut at \(cut): \(verdicts)")
                return
            }
        }
    }

    @Test func `no name stands twice in the list`() {
        let texts = HostileRequests.all.map { $0.name + $0.text }
        #expect(Set(texts).count == texts.count)
        #expect(HostileRequests.all.count > 120)
    }

    @Test func `changed bytes are read alike in any pieces, and never trap`() {
        var random = SeededRandom(seed: 18)
        for _ in 0..<20_000 {
            let request = HostileRequests.all.randomElement(using: &random)
            var bytes = Array((request?.text ?? "").utf8.prefix(400))
            for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: [13, 10].shuffled(using: &random), at: place)
                }
            }
            let whole = Self.verdicts(bytes) { _ in bytes.count }
            let piece = Int.random(in: 1...16, using: &random)
            let cut = Self.verdicts(bytes) { _ in piece }
            if whole != cut {
                Issue.record("\(String(decoding: bytes, as: UTF8.self).debugDescription)")
                return
            }
        }
    }

    @Test func `a connection of 1.0 ends, and one of 1.1 unless it says so`() throws {
        func keeps(_ text: String) throws -> Bool {
            var parser = HTTPParser(bodyBytesMax: 0)
            var position = 0
            let step = Array(text.utf8).withUnsafeBytes { parser.next(in: $0, from: &position) }
            guard case .head(let head) = step else { throw TestProblem("no head") }
            return head.keepsAlive
        }
        #expect(try keeps("GET / HTTP/1.1\r\nHost: h\r\n\r\n"))
        #expect(try !keeps("GET / HTTP/1.0\r\nHost: h\r\n\r\n"))
        #expect(try !keeps("GET / HTTP/1.0\r\nHost: h\r\nConnection: keep-alive\r\n\r\n"))
        #expect(try !keeps("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n"))
    }

    @Test func `memory of a head is given up`() {
        var parser = HTTPParser(bodyBytesMax: 0)
        var position = 0
        _ = Array("GET / HT".utf8).withUnsafeBytes { parser.next(in: $0, from: &position) }
        #expect(parser.carriedBytes == 8 && parser.isInsideRequest)
        position = 0
        let rest = Array("TP/1.1\r\nHost: h\r\n\r\n".utf8)
        _ = rest.withUnsafeBytes { parser.next(in: $0, from: &position) }
        _ = rest.withUnsafeBytes { parser.next(in: $0, from: &position) }
        #expect(parser.carriedBytes == 0 && !parser.isInsideRequest)
        parser.releaseIdleMemory()
    }
}
