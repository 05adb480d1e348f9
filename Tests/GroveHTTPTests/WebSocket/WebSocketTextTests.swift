import GroveHTTP
import Testing

@testable import struct GroveHTTP.WebSocketFailure
@testable import struct GroveHTTP.WebSocketTextCheck

/// What is said of these bytes as one message.
private func message(_ bytes: [UInt8]) -> [Said] { read(ClientFrame(0x1, bytes)) }

/// Whether a check takes these bytes as a whole text.
private func isAccepted(_ bytes: [UInt8]) -> Bool {
    var check = WebSocketTextCheck()
    return bytes.withUnsafeBytes { check.accept($0) } == nil && check.isComplete
}

/// Whether the standard library takes them, and they are one line.
private func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(0x0A) && String(validating: bytes, as: UTF8.self) != nil
}

@Suite("WebSocketReader: text")
struct WebSocketTextTests {
    /// Bytes at the ends of every range of Unicode 16.0, table 3-7.
    private static let edges: [UInt8] = [
        0x00, 0x09, 0x0A, 0x0B, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
        0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFC, 0xFF,
    ]

    @Test(arguments: [
        "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "\0", "\u{80}", "\u{800}", "\u{10000}", "\u{7F}",
        "\u{7FF}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}", "\u{10FFFF}",
        "\u{1FFFE}", "\r", "tab\there", "\u{2028}\u{85}", "🏳️‍🌈",
    ])
    func `text is read`(text: String) {
        #expect(read(.text(text)) == [.text(text)])
    }

    @Test(
        arguments: [
            // A surrogate amid text; beyond Unicode; five and six bytes.
            [0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x65], [0xF4, 0x90, 0x80, 0x80],
            [0xF7, 0xBF, 0xBF, 0xBF],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80],
            // Lonely continuations and beginnings; impossible bytes.
            [0x80], [0xBF], [0x80, 0xBF, 0x80], [0x61, 0x80], [0xC3, 0x20], [0xE4, 0x20],
            [0xF0, 0x20],
            [0xE4, 0xBD, 0x20], [0xF0, 0x9F, 0x98, 0x20], [0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF],
            // Unfinished at the end.
            [0xC3], [0xE4], [0xE4, 0xBD], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x98], [0x61, 0xC3],
            // Overlong forms of a slash, of NUL, and the longest of them.
            [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xC0, 0x80],
            [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF],
            [0xF0, 0x8F, 0xBF, 0xBF],
            // Surrogates, single and paired.
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80],
        ] as [[UInt8]])
    func `bytes that are no UTF-8 are refused`(bytes: [UInt8]) {
        #expect(message(bytes) == [.failure(1007)])
        #expect(message(Array("plain text, plain text".utf8) + bytes) == [.failure(1007)])
        #expect(read(.beginning("x"), ClientFrame(0x0, bytes)) == [.failure(1007)])
    }

    @Test func `a newline is refused wherever it is, a return isn't`() {
        for place in 0..<24 {
            var bytes = [UInt8](repeating: 0x78, count: 24)
            bytes[place] = 0x0A
            #expect(message(bytes) == [.failure(1007)], "at \(place)")
            bytes[place] = 0x0D
            #expect(message(bytes) == [.text(String(decoding: bytes, as: UTF8.self))])
            // Its neighbours, which a search by words could take for it.
            for other: UInt8 in [0x09, 0x0B] {
                bytes[place] = other
                #expect(message(bytes) == [.text(String(decoding: bytes, as: UTF8.self))])
            }
        }
        #expect(message(Array("äöü\n".utf8)) == [.failure(1007)])
        #expect(read(.beginning("a\n")) == [.failure(1007)])
    }

    @Test func `a newline and bad UTF-8 have their reasons`() {
        var check = WebSocketTextCheck()
        #expect([0x61, 0x0A].withUnsafeBytes { check.accept($0) } == .newline)
        check = WebSocketTextCheck()
        #expect(([0x61, 0xFF] as [UInt8]).withUnsafeBytes { check.accept($0) } == .badText)
        #expect(WebSocketFailure.newline.reason != WebSocketFailure.badText.reason)
    }

    @Test func `characters may be cut by fragments and pieces`() {
        let text = "κόσμε € 🏳️‍🌈"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let head = ClientFrame(0x1, Array(bytes[..<cut]), isFinal: false)
            let tail = ClientFrame(0x0, Array(bytes[cut...]))
            #expect(read(head, .ping("between"), tail) == [.ping("between"), .text(text)])
            #expect(read([head.bytes, tail.bytes]) == [.text(text)])
        }
    }

    @Test func `a character that isn't finished doesn't continue in the next message`() {
        #expect(message([0xCE]) == [.failure(1007)])
        let said = read(
            ClientFrame(0x1, [0xCE], isFinal: false), ClientFrame(0x0, [0xBA]),
            ClientFrame(0x1, [0xBA]))
        #expect(said == [.text("κ"), .failure(1007)])
    }

    // MARK: Second opinion

    @Test func `all texts of one and two bytes are judged as by the standard library`() {
        for first in 0...255 as ClosedRange<UInt8> {
            #expect(isAccepted([first]) == isText([first]))
            for second in 0...255 as ClosedRange<UInt8>
            where isAccepted([first, second]) != isText([first, second]) {
                Issue.record("\(first) \(second)")
            }
        }
    }

    @Test func `texts of bytes at the ends of ranges are judged as by the standard library`() {
        for first in Self.edges {
            for second in Self.edges {
                for third in Self.edges {
                    let three = [first, second, third]
                    if isAccepted(three) != isText(three) { Issue.record("\(three)") }
                    guard (0xF0...0xF5).contains(first), third >= 0x7F, third < 0xC2 else {
                        continue
                    }
                    for fourth: UInt8 in [0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xFF] {
                        let four = three + [fourth]
                        if isAccepted(four) != isText(four) { Issue.record("\(four)") }
                    }
                }
            }
        }
    }

    @Test func `every character is accepted but the newline`() {
        var bytes: [UInt8] = []
        for value in 0...0x10FFFF as ClosedRange<UInt32> where value < 0x3000 || value % 61 == 0 {
            guard let scalar = Unicode.Scalar(value), value != 0x0A else { continue }
            bytes += Array(String(scalar).utf8)
        }
        #expect(isAccepted(bytes))
    }

    @Test func `a text fails at the first byte that no text continues`() {
        for first in Self.edges {
            for second in Self.edges {
                for third: UInt8 in [0x0A, 0x41, 0x7F, 0x80, 0xBF, 0xC0] {
                    let bytes = [first, second, third]
                    let expected = bytes.indices.first { !Self.canContinue(bytes[...$0]) }
                    var check = WebSocketTextCheck()
                    let actual = bytes.indices.first { index in
                        [bytes[index]].withUnsafeBytes { check.accept($0) } != nil
                    }
                    if actual != expected { Issue.record("\(bytes) fails at \(actual ?? -1)") }
                }
            }
        }
    }

    /// Up to three bytes, some of which end whatever has begun rightly.
    private static let endings: [[UInt8]] = {
        let next: [UInt8] = [0x80, 0x90, 0xA0]
        let one = next.map { [$0] }
        let two = one.flatMap { end in next.map { end + [$0] } }
        return [[]] + one + two + two.flatMap { end in next.map { end + [$0] } }
    }()

    /// Whether some text begins with these bytes.
    private static func canContinue(_ bytes: ArraySlice<UInt8>) -> Bool {
        endings.contains { isText(bytes + $0) }
    }

    @Test func `bad text is refused before its frame ends`() {
        let bytes = ClientFrame(0x1, [0xF4, 0x90] + [UInt8](repeating: 0x80, count: 90)).bytes
        #expect(read([Array(bytes.prefix(7))]) == [])
        #expect(read([Array(bytes.prefix(8))]) == [.failure(1007)])
        #expect(read(bytes.map { [$0] }) == [.failure(1007)])
    }
}
