import GroveHTTP
import Testing

@testable import struct GroveHTTP.WebSocketFrameHeader

@Suite("WebSocketReader")
struct WebSocketReaderTests {
    @Test func `the examples of RFC 6455 are read`() {
        let masked: [UInt8] = [
            0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
        ]
        #expect(read([masked]) == [.text("Hello")])
        #expect(ClientFrame.text("Hello").bytes == masked)
        let pong: [UInt8] = [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(read([pong]) == [.pong("Hello")])
    }

    @Test(arguments: [0, 1, 7, 8, 9, 125, 126, 127, 128, 65_535, 65_536, 65_537, 1 << 20])
    func `a text of every form of length is read`(count: Int) {
        let text = String(repeating: "*", count: count)
        let bytes = ClientFrame.text(text).bytes
        #expect(read([bytes]) == [.text(text)])
        let pieces = stride(from: 0, to: bytes.count, by: 997).map {
            Array(bytes[$0..<min($0 + 997, bytes.count)])
        }
        #expect(read(pieces) == [.text(text)])
    }

    @Test func `many messages in one chunk are read in order`() {
        let bytes = (0..<100).flatMap { ClientFrame.text("message \($0)").bytes }
        #expect(read([bytes]) == (0..<100).map { .text("message \($0)") })
    }

    @Test func `a chunk that is read from its middle begins there`() {
        var reader = WebSocketReader(messageBytesMax: 100)
        let bytes = ClientFrame.text("first").bytes + ClientFrame.text("second").bytes
        bytes.withUnsafeBytes { chunk in
            var position = 11
            #expect(reader.next(in: chunk, from: &position) == .text)
            #expect(reader.message == Array("second".utf8))
            #expect(position == chunk.count)
            #expect(reader.next(in: chunk, from: &position) == .needsMore)
            #expect(reader.message.isEmpty)
        }
    }

    @Test(
        arguments: [
            [0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0x61, 0x62, 0x63, 0x64], [1, 0, 0, 0],
        ] as [[UInt8]])
    func `every key unmasks`(key: [UInt8]) {
        var frame = ClientFrame.text("Hello, world of masks")
        frame.key = key
        #expect(read(frame) == [.text("Hello, world of masks")])
    }

    // MARK: Frames that RFC 6455 forbids

    @Test(arguments: [0x1, 0x8, 0x9, 0xA] as [UInt8])
    func `a frame without a mask is refused, at its second byte`(opcode: UInt8) {
        var frame = ClientFrame(opcode, Array("Hello".utf8))
        frame.isMasked = false
        #expect(read(frame) == [.failure(1002)])
        #expect(read(.text("before"), frame) == [.text("before"), .failure(1002)])
        #expect(read([Array(frame.bytes.prefix(1))]) == [])
        #expect(read([Array(frame.bytes.prefix(2))]) == [.failure(1002)])
    }

    @Test func `a fragment without a mask is refused`() {
        var frame = ClientFrame.end("lo")
        frame.isMasked = false
        #expect(read(.beginning("Hel"), frame) == [.failure(1002)])
    }

    @Test(arguments: 1...7 as ClosedRange<UInt8>, [0x1, 0x9, 0x8] as [UInt8])
    func `reserved bits are refused`(bits: UInt8, opcode: UInt8) {
        var frame = ClientFrame(opcode, Array("Hello".utf8))
        frame.first |= bits << 4
        #expect(read(.text("before"), frame, .ping("")) == [.text("before"), .failure(1002)])
    }

    @Test(arguments: [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF] as [UInt8])
    func `an unknown opcode is refused, at its byte`(opcode: UInt8) {
        #expect(read([[0x80 | opcode]]) == [.failure(1002)])
        #expect(read([[opcode]]) == [.failure(1002)])
        #expect(read(.beginning("a"), ClientFrame(opcode)) == [.failure(1002)])
    }

    @Test func `a binary message is refused as such, at its first byte`() {
        #expect(read([[0x82]]) == [.failure(1003)])
        #expect(read([[0x02]]) == [.failure(1003)])
    }

    @Test func `a length that has a shorter form is refused`() {
        for (count, form) in [(0, 2), (125, 2), (0, 8), (125, 8), (126, 8), (65_535, 8)] {
            var frame = ClientFrame.text(String(repeating: "x", count: count))
            frame.lengthBytes = form
            #expect(read(frame) == [.failure(1002)], "\(count) as \(form)")
            // Before the key and the payload are there.
            #expect(read([Array(frame.bytes.prefix(2 + form))]) == [.failure(1002)])
        }
    }

    @Test func `a length with its highest bit is refused`() {
        for byte: UInt8 in [0x80, 0xFF] {
            let bytes: [UInt8] = [0x81, 0xFF, byte, 0, 0, 0, 0, 1, 0, 0]
            #expect(read([bytes], max: .max) == [.failure(1002)])
        }
    }

    @Test func `the header says what it read`() throws {
        var header = WebSocketFrameHeader()
        let surroundings = WebSocketFrameHeader.Surroundings(
            isWithinMessage: false, roomBytes: .max)
        #expect(!header.hasBegun)
        let bytes: [UInt8] = [0x01, 0xFF, 0x7F, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, 9]
        for (index, byte) in bytes.enumerated() {
            #expect(!header.isComplete, "after \(index) bytes")
            try header.accept(byte, in: surroundings)
            #expect(header.hasBegun)
        }
        #expect(header.isComplete)
        #expect(header.opcode == .text)
        #expect(!header.isFinal)
        #expect(header.payloadBytes == 0x7F01_0203_0405_0607)
    }

    // MARK: Control frames

    @Test(arguments: [0, 1, 8, 124, 125])
    func `pings and pongs have their payload`(count: Int) {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: 0xF0 + $0) }
        let said = read(ClientFrame(0x9, payload), ClientFrame(0xA, payload), .text("after"))
        #expect(said == [.ping(payload), .pong(payload), .text("after")])
    }

    @Test(arguments: [0x8, 0x9, 0xA] as [UInt8])
    func `a control frame of 126 bytes is refused at its length`(opcode: UInt8) {
        let frame = ClientFrame(opcode, [UInt8](repeating: 0x78, count: 126))
        #expect(read(frame) == [.failure(1002)])
        #expect(read([Array(frame.bytes.prefix(2))]) == [.failure(1002)])
        var long = ClientFrame(opcode)
        long.lengthBytes = 8
        #expect(read(long) == [.failure(1002)])
    }

    @Test(arguments: [0x8, 0x9, 0xA] as [UInt8])
    func `a control frame in fragments is refused at its first byte`(opcode: UInt8) {
        #expect(read([[opcode]]) == [.failure(1002)])
        #expect(read(.beginning("a"), ClientFrame(opcode, isFinal: false)) == [.failure(1002)])
    }

    @Test func `ten pings are ten pings`() {
        let bytes = (0..<10).flatMap { ClientFrame.ping("\($0)").bytes }
        #expect(read([bytes]) == (0..<10).map { .ping("\($0)") })
        #expect(read(bytes.map { [$0] }) == (0..<10).map { .ping("\($0)") })
    }

    @Test func `a payload isn't mixed with that of the control frame before`() {
        #expect(read(.ping("long payload"), .pong("x")) == [.ping("long payload"), .pong("x")])
    }

    // MARK: After the end

    @Test func `after a failure nothing is read, whatever follows`() {
        var reader = WebSocketReader(messageBytesMax: 100)
        #expect(reader.said(of: ClientFrame.beginning("kept").bytes) == [])
        #expect(reader.carriedBytes == 4)
        let bad = ClientFrame(0x3).bytes + ClientFrame.text("hidden").bytes
        #expect(reader.said(of: bad) == [.failure(1002)])
        #expect(reader.said(of: ClientFrame.text("more").bytes) == [])
        #expect(reader.said(of: ClientFrame(0x3).bytes) == [])
        #expect(reader.said(of: []) == [])
        #expect(reader.carriedBytes == 0)
        #expect(!reader.isInsideMessage)
    }

    @Test func `a failure frees what was held, at once`() {
        for frame in [ClientFrame(0x8, [3]), ClientFrame(0x0, [0xFF])] {
            var reader = WebSocketReader(messageBytesMax: 100)
            let bytes = ClientFrame.beginning("kept").bytes + frame.bytes
            bytes.withUnsafeBytes { chunk in
                var position = 0
                guard case .failure = reader.next(in: chunk, from: &position) else {
                    Issue.record("no failure")
                    return
                }
            }
            #expect(reader.carriedBytes == 0)
        }
    }
}
