import GroveHTTP
import GroveTestSupport
import Testing

/// Conversations of random frames; a failing one is repeated by its seed, the test's argument.
@Suite("WebSocketReader: random conversations")
struct WebSocketRandomTests {
    private static let max = 1_000

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `what a client sends arrives, in any pieces`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        var expected: [Said] = []
        for _ in 0..<8 { Self.appendMessage(to: &bytes, &expected, &random) }
        if Bool.random(using: &random) {
            bytes += ClientFrame.close(4000, Array("bye".utf8)).bytes + [1, 2, 3]
            expected.append(.close(4000, "bye"))
        }
        #expect(read([bytes], max: Self.max) == expected)
        #expect(read(bytes.map { [$0] }, max: Self.max) == expected)
        for _ in 0..<8 {
            #expect(read(Self.pieces(of: bytes, &random), max: Self.max) == expected)
        }
    }

    @Test func `a conversation cut at any byte is the same`() {
        var random = SeededRandom(seed: 7)
        var bytes: [UInt8] = []
        var expected: [Said] = []
        for _ in 0..<8 { Self.appendMessage(to: &bytes, &expected, &random, longest: 30) }
        bytes += ClientFrame.close(1000, Array("ä".utf8)).bytes
        expected.append(.close(1000, "ä"))
        for cut in 0...bytes.count {
            let said = read([Array(bytes[..<cut]), Array(bytes[cut...])])
            if said != expected { Issue.record("cut at \(cut): \(said)") }
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `changed bytes mean the same in any pieces, within the bounds`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        var expected: [Said] = []
        for _ in 0..<5 { Self.appendMessage(to: &bytes, &expected, &random, longest: 200) }
        for _ in 0..<Int.random(in: 1...4, using: &random) { Self.change(&bytes, &random) }
        let said = read([bytes], max: Self.max)
        #expect(read(bytes.map { [$0] }, max: Self.max) == said)
        #expect(read(Self.pieces(of: bytes, &random), max: Self.max) == said)
        for (index, one) in said.enumerated() {
            switch one {
            case .text(let text):
                #expect(text.utf8.count <= Self.max && !text.utf8.contains(0x0A))
            case .ping(let payload), .pong(let payload): #expect(payload.count <= 125)
            case .close, .failure: #expect(index == said.count - 1)
            }
        }
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `noise ends soon and in the same way`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
        let said = read([bytes], max: Self.max)
        #expect(read(bytes.map { [$0] }, max: Self.max) == said)
    }

    // MARK: Random frames

    /// Appends a message of one to five frames, with control frames before each.
    private static func appendMessage(
        to bytes: inout [UInt8], _ expected: inout [Said], _ random: inout SeededRandom,
        longest: Int = max
    ) {
        let text = Self.text(of: Int.random(in: 0...longest, using: &random), &random)
        let payload = Array(text.utf8)
        let parts = Int.random(in: 1...5, using: &random)
        var rest = payload[...]
        for part in 1...parts {
            if Int.random(in: 0..<4, using: &random) == 0 {
                appendControl(to: &bytes, &expected, &random)
            }
            let isLast = part == parts
            let count = isLast ? rest.count : Int.random(in: 0...rest.count, using: &random)
            var frame = ClientFrame(
                part == 1 ? 0x1 : 0x0, Array(rest.prefix(count)), isFinal: isLast)
            frame.key = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes += frame.bytes
            rest = rest.dropFirst(count)
        }
        expected.append(.text(text))
    }

    private static func appendControl(
        to bytes: inout [UInt8], _ expected: inout [Said], _ random: inout SeededRandom
    ) {
        let count = Int.random(in: 0...125, using: &random)
        let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        let isPing = Bool.random(using: &random)
        bytes += ClientFrame(isPing ? 0x9 : 0xA, payload).bytes
        expected.append(isPing ? .ping(payload) : .pong(payload))
    }

    /// A text of at most `count` bytes: plain, or of characters of all lengths.
    private static func text(of count: Int, _ random: inout SeededRandom) -> String {
        guard Bool.random(using: &random) else { return String(repeating: "x", count: count) }
        let characters = ["a", "\"", "\r", "é", "ß", "€", "中", "\u{FFFF}", "🙂", "\u{10FFFF}"]
        var text = ""
        while let next = characters.randomElement(using: &random),
            text.utf8.count + next.utf8.count <= count
        { text += next }
        return text
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.remove(at: place)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        }
    }

    private static func pieces(
        of bytes: [UInt8], _ random: inout SeededRandom
    ) -> [[UInt8]] {
        let longest = [2, 16, 200, 2_000].randomElement(using: &random) ?? 1
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 0...longest, using: &random)
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
