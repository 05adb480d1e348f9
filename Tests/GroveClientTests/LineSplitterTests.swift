import Testing

@testable import GroveClient

@Suite("LineSplitter")
struct LineSplitterTests {
    private func split(_ pieces: [[UInt8]], lineBytesMax: Int = 100) -> (lines: [String], ok: Bool)
    {
        var splitter = LineSplitter(lineBytesMax: lineBytesMax)
        var lines: [String] = []
        for piece in pieces {
            let ok = piece.withUnsafeBytes { bytes in
                splitter.append(bytes) { lines.append(String(decoding: $0, as: UTF8.self)) }
            }
            if !ok { return (lines, false) }
        }
        return (lines, true)
    }

    @Test func `gives the same lines wherever the stream is cut`() {
        let stream = Array("{\"a\":1}\r\n\n\r\n{\"b\":\"ü\"}\n{}\nrest".utf8)
        for first in 0...stream.count {
            for second in first...stream.count {
                let pieces = [stream[..<first], stream[first..<second], stream[second...]]
                #expect(
                    split(pieces.map { Array($0) }).lines == ["{\"a\":1}", "{\"b\":\"ü\"}", "{}"])
            }
        }
    }

    @Test func `takes a line of exactly the longest length and refuses one byte more`() {
        #expect(split([Array("12345\n".utf8)], lineBytesMax: 5).lines == ["12345"])
        #expect(split([Array("12345\r\n".utf8)], lineBytesMax: 5).lines == ["12345"])
        #expect(!split([Array("123456\n".utf8)], lineBytesMax: 5).ok)
        #expect(!split([Array("1234567".utf8)], lineBytesMax: 5).ok)
    }

    @Test func `hands out lines before one that is too long`() {
        let result = split([Array("1\n2\n1234567".utf8)], lineBytesMax: 5)
        #expect(result.lines == ["1", "2"])
        #expect(!result.ok)
    }
}
