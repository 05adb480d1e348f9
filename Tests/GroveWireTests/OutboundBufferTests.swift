import GroveWire
import OrderedJSON
import Testing

@Suite("OutboundBuffer")
struct OutboundBufferTests {
    @Test func `bytes leave in order, in any pieces`() {
        var buffer = OutboundBuffer()
        var sent: [UInt8] = []
        var expected: [UInt8] = []
        for round in 0..<200 {
            let bytes = [UInt8](repeating: UInt8(round), count: round * 37 % 500)
            expected += bytes
            buffer.writer.raw(bytes)
            buffer.send { waiting in
                let count = min(waiting.count, round * 53 % 400)
                sent += waiting[..<count]
                return count
            }
            #expect(buffer.count == expected.count - sent.count)
        }
        buffer.send { waiting in
            sent += waiting
            return waiting.count
        }
        #expect(sent == expected)
        #expect(buffer.isEmpty)
    }

    @Test func `a buffer that is never empty doesn't grow for ever`() {
        var buffer = OutboundBuffer()
        buffer.writer.raw([UInt8](repeating: 1, count: 1_000))
        for _ in 0..<10_000 {
            buffer.writer.raw([UInt8](repeating: 1, count: 1_000))
            buffer.send { _ in 1_000 }
        }
        #expect(buffer.count == 1_000)
        #expect(buffer.writer.bytes.count < 4 * OutboundBuffer.keptBytesMax)
    }

    @Test func `taking nothing changes nothing`() {
        var buffer = OutboundBuffer()
        buffer.writer.literal("abc")
        #expect(buffer.send { _ in 0 } == 0)
        #expect(buffer.count == 3)
    }

    @Test func `idle memory is released, but not waiting bytes`() {
        var buffer = OutboundBuffer()
        buffer.writer.raw([UInt8](repeating: 1, count: 100_000))
        buffer.releaseIdleMemory()
        #expect(buffer.count == 100_000)
        buffer.send { $0.count }
        buffer.releaseIdleMemory()
        #expect(buffer.writer.bytes.capacity == 0)
    }

    /// What waits in the buffer.
    private static func text(_ buffer: OutboundBuffer) -> String {
        var (buffer, text) = (buffer, "")
        buffer.send {
            text = String(decoding: $0, as: UTF8.self)
            return $0.count
        }
        return text
    }

    @Test(arguments: 0...12)
    func `dropping lines leaves the rest of one that was sent in part`(sent: Int) {
        var buffer = OutboundBuffer()
        buffer.writer.literal("one\ntwo\nsix\n")
        buffer.send { _ in sent }
        buffer.dropLines()
        let rest = Array("one\ntwo\nsix\n".dropFirst(sent).prefix((4 - sent % 4) % 4))
        #expect(Self.text(buffer) == String(rest))
        buffer.writer.literal("end\n")
        #expect(Self.text(buffer) == String(rest) + "end\n")
    }

    @Test func `dropping lines keeps no memory`() {
        var buffer = OutboundBuffer()
        buffer.writer.raw([UInt8](repeating: 10, count: 1 << 20))
        buffer.writer.literal("rest\n")
        // So much that the sent bytes are removed, within a line.
        buffer.send { $0.count - 3 }
        buffer.dropLines()
        #expect(Self.text(buffer) == "st\n")
        #expect(buffer.writer.bytes.capacity < 1_000)
        buffer.send { $0.count }
        buffer.dropLines()
        #expect(buffer.isEmpty)
    }

    @Test func `a line that was sent in part is known after sent bytes were removed`() {
        var buffer = OutboundBuffer()
        let count = 2 * OutboundBuffer.keptBytesMax
        buffer.writer.raw([UInt8](repeating: 0x61, count: count))
        buffer.writer.literal("\nnext\n")
        buffer.send { _ in count - 1 }
        buffer.dropLines()
        #expect(Self.text(buffer) == "a\n")
        buffer.send { _ in 1 }
        buffer.dropLines()
        #expect(Self.text(buffer) == "\n")
    }
}
