import Testing

@testable import GroveWire

/// The framer's results for a stream, with the bytes of its lines.
private enum Said: Equatable {
    case line(String)
    case tooLong
    case flood
}

/// Feeds chunks to a framer and collects what it says.
private func frame(_ chunks: [[UInt8]], max: Int = 64, hard: Int = 256) -> [Said] {
    var framer = LineFramer(lineBytesMax: max, lineBytesHard: hard)
    var said: [Said] = []
    for chunk in chunks {
        chunk.withUnsafeBytes { bytes in
            var position = 0
            while true {
                switch framer.next(in: bytes, from: &position) {
                case .line(let range):
                    said.append(.line(String(decoding: bytes[range], as: UTF8.self)))
                case .carriedLine:
                    said.append(
                        .line(framer.withCarriedLine { String(decoding: $0, as: UTF8.self) }))
                case .tooLong: said.append(.tooLong)
                case .flood: said.append(.flood)
                case .empty: continue
                case .needsMore: return
                }
            }
        }
    }
    return said
}

private func frame(_ text: String, max: Int = 64, hard: Int = 256) -> [Said] {
    frame([Array(text.utf8)], max: max, hard: hard)
}

@Suite("LineFramer")
struct LineFramerTests {
    static let conversation = Array(
        "{\"op\":1}\r\n\n\r\n{\"ä\":\"\u{1F600}\"}\nlast\r\r\nno end".utf8)
    private static let expected: [Said] = [
        .line("{\"op\":1}"), .line("{\"ä\":\"\u{1F600}\"}"), .line("last\r"),
    ]

    @Test func `lines are returned whole, without newline, return and empty lines`() {
        #expect(frame([Self.conversation]) == Self.expected)
    }

    @Test func `a conversation cut at any byte gives the same lines`() {
        for cut in 0...Self.conversation.count {
            let halves = [Array(Self.conversation[..<cut]), Array(Self.conversation[cut...])]
            #expect(frame(halves) == Self.expected, "cut at \(cut)")
        }
    }

    @Test func `a conversation cut at any two bytes gives the same lines`() {
        let all = Self.conversation
        for first in 0...all.count {
            for second in first...all.count {
                let parts = [all[..<first], all[first..<second], all[second...]].map(Array.init)
                #expect(frame(parts) == Self.expected, "cut at \(first) and \(second)")
            }
        }
    }

    @Test func `a conversation of single bytes gives the same lines`() {
        #expect(frame(Self.conversation.map { [$0] }) == Self.expected)
    }

    @Test func `a hundred lines in one chunk are returned in order`() {
        let text = (0..<100).map { "line \($0)\n" }.joined()
        #expect(frame(text) == (0..<100).map { .line("line \($0)") })
    }

    @Test func `a last line without a newline is never returned`() {
        #expect(frame("a\nb") == [.line("a")])
    }

    @Test(arguments: ["\n", "\r\n"])
    func `the longest line fits, one byte more doesn't, wherever it is cut`(end: String) {
        let fits = String(repeating: "x", count: 64)
        for cut in 0...66 {
            func parts(_ text: String) -> [[UInt8]] {
                let bytes = Array((text + end + "y\n").utf8)
                return [Array(bytes[..<cut]), Array(bytes[cut...])]
            }
            #expect(frame(parts(fits)) == [.line(fits), .line("y")], "cut at \(cut)")
            #expect(frame(parts(fits + "x")) == [.tooLong, .line("y")], "cut at \(cut)")
        }
    }

    @Test func `a return that isn't before the newline stays`() {
        let text = String(repeating: "x", count: 64) + "\r"
        #expect(frame([Array(text.utf8), Array("x\nok\n".utf8)]) == [.tooLong, .line("ok")])
    }

    @Test func `lines before one that is too long are returned`() {
        #expect(frame("1\n2\n1234567", max: 5) == [.line("1"), .line("2"), .tooLong])
    }

    @Test func `a carried line can be moved out`() {
        var framer = LineFramer(lineBytesMax: 64)
        var lines: [[UInt8]] = []
        for part in ["ab", "c\nd", "e\n"] {
            Array(part.utf8).withUnsafeBytes { bytes in
                var position = 0
                while true {
                    let event = framer.next(in: bytes, from: &position)
                    if event == .needsMore { break }
                    #expect(event == .carriedLine)
                    lines.append(framer.removeCarriedLine())
                }
            }
        }
        #expect(lines == ["abc", "de"].map { Array($0.utf8) })
        #expect(framer.carriedBytes == 0)
    }

    @Test func `a long line is reported once, before it ends, without memory`() {
        var framer = LineFramer(lineBytesMax: 64, lineBytesHard: 1 << 20)
        let chunk = [UInt8](repeating: 0x78, count: 1_000)
        var events: [LineFramer.Event] = []
        chunk.withUnsafeBytes { bytes in
            for _ in 0..<100 {
                var position = 0
                while true {
                    let event = framer.next(in: bytes, from: &position)
                    if event == .needsMore { break }
                    events.append(event)
                }
            }
        }
        #expect(events == [.tooLong])
        #expect(framer.isInsideLine)
        framer.withCarriedLine { #expect($0.isEmpty) }
    }

    @Test func `a long line is given with its beginning`() {
        let line = Array("POST /".utf8) + [UInt8](repeating: 0x78, count: 100)
        for cut in 0...line.count {
            var framer = LineFramer(lineBytesMax: 64)
            for part in [line[..<cut], line[cut...] + [10]] {
                Array(part).withUnsafeBytes { bytes in
                    var position = 0
                    while framer.next(in: bytes, from: &position) != .needsMore {}
                }
            }
            #expect(framer.beginning.count > 64 && line.starts(with: framer.beginning), "\(cut)")
        }
    }

    @Test func `many empty lines are reported`() {
        let bytes = [UInt8](repeating: 10, count: 2_500) + Array("a\n".utf8)
        var framer = LineFramer(lineBytesMax: 64)
        var position = 0
        bytes.withUnsafeBytes { bytes in
            #expect(framer.next(in: bytes, from: &position) == .empty)
            #expect(position == 1_024)
            #expect(framer.next(in: bytes, from: &position) == .empty)
            #expect(framer.next(in: bytes, from: &position) == .line(2_500..<2_501))
            #expect(framer.next(in: bytes, from: &position) == .needsMore)
        }
    }

    @Test func `more than the hard limit in one line is a flood, ended or not`() {
        let flood = String(repeating: "x", count: 257)
        #expect(frame(flood) == [.flood])
        #expect(frame(flood + "\n") == [.flood])
        #expect(frame(String(repeating: "x", count: 256) + "\n") == [.tooLong])
        let half = [UInt8](repeating: 0x78, count: 200)
        #expect(frame([half, half]) == [.tooLong, .flood])
        #expect(frame([half, half + [10]]) == [.tooLong, .flood])
    }

    @Test func `the framer knows whether it is within a line`() {
        var framer = LineFramer(lineBytesMax: 64)
        func feed(_ text: String) -> Bool {
            Array(text.utf8).withUnsafeBytes { bytes in
                var position = 0
                while framer.next(in: bytes, from: &position) != .needsMore {}
            }
            return framer.isInsideLine
        }
        #expect(!feed(""))
        #expect(feed("a"))
        #expect(!feed("b\n"))
        #expect(feed("c\nd"))
        #expect(!feed("\n"))
    }
}
