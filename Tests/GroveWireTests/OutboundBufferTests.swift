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
}
