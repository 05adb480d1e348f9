import GroveHTTP
import Testing

@testable import enum GroveHTTP.WebSocketLimits

@Suite("WebSocketReader: fragments, bounds and memory")
struct WebSocketFragmentTests {
    @Test func `fragments are one message`() {
        #expect(read(.beginning("Hel"), .end("lo")) == [.text("Hello")])
        #expect(
            read(.beginning("a"), .middle("b"), .middle(""), .middle("c"), .end("d"))
                == [.text("abcd")])
    }

    @Test func `empty fragments are an empty message`() {
        #expect(read(.text("")) == [.text("")])
        #expect(read(.beginning(""), .middle(""), .end("")) == [.text("")])
        #expect(read(.beginning(""), .middle("middle"), .end("")) == [.text("middle")])
    }

    @Test func `fragments have their own keys`() {
        var frames = ["one ", "two ", "three ", "four"].map { ClientFrame.middle($0) }
        for index in frames.indices { frames[index].key = [UInt8](repeating: 77, count: 4) }
        frames[1].key = [1, 2, 3, 4]
        frames[0].first = 0x01
        frames[3].first = 0x80
        #expect(read([frames.flatMap(\.bytes)]) == [.text("one two three four")])
    }

    @Test func `control frames come between fragments`() {
        let said = read(
            .beginning("fragment1"), .ping("p1"), .middle("fragment2"), .pong("p2"), .ping(""),
            .end("fragment3"), .text("next"))
        #expect(
            said == [
                .ping("p1"), .pong("p2"), .ping(""), .text("fragment1fragment2fragment3"),
                .text("next"),
            ])
    }

    @Test func `a close frame ends a message in its middle`() {
        #expect(read(.beginning("half"), .close(1000), .end("other")) == [.close(1000, "")])
    }

    @Test(arguments: [true, false])
    func `a continuation without a beginning is refused, at its first byte`(isFinal: Bool) {
        let frame = ClientFrame(0x0, Array("x".utf8), isFinal: isFinal)
        #expect(read([Array(frame.bytes.prefix(1))]) == [.failure(1002)])
        #expect(read(.text("whole"), frame) == [.text("whole"), .failure(1002)])
        let said = read(.beginning("a"), .end("b"), frame, .text("c"))
        #expect(said == [.text("ab"), .failure(1002)])
    }

    @Test func `a message within another is refused, at its first byte`() {
        #expect(read(.beginning("a"), .beginning("b"), .end("c")) == [.failure(1002)])
        #expect(read(.beginning("a"), .text("b")) == [.failure(1002)])
        #expect(read(.beginning("a"), ClientFrame(0x2)) == [.failure(1002)])
        #expect(read([ClientFrame.beginning("").bytes, [0x81]]) == [.failure(1002)])
    }

    @Test func `what is inside of a message`() {
        var reader = WebSocketReader(messageBytesMax: 100)
        func feed(_ bytes: some Sequence<UInt8>) -> Bool {
            _ = reader.said(of: Array(bytes))
            return reader.isInsideMessage
        }
        #expect(!reader.isInsideMessage)
        #expect(feed([0x81]))
        #expect(!feed(ClientFrame.text("x").bytes.dropFirst()))
        #expect(feed(ClientFrame.text("x").bytes.dropLast()))
        #expect(!feed(ClientFrame.text("x").bytes.suffix(1)))
        #expect(feed(ClientFrame.beginning("").bytes))
        #expect(feed(ClientFrame.ping("").bytes))
        #expect(!feed(ClientFrame.end("").bytes))
        #expect(feed(ClientFrame.ping("abc").bytes.dropLast()))
        #expect(reader.carriedBytes == 2)
        #expect(!feed(ClientFrame.ping("abc").bytes.suffix(1)))
        #expect(!feed(ClientFrame.close(1000).bytes))
    }

    // MARK: Bounds

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536, 100_000])
    func `the largest message fits, one byte more doesn't`(max: Int) {
        let fits = String(repeating: "x", count: max)
        #expect(read(.text(fits), max: max) == [.text(fits)])
        #expect(read(.beginning(fits), .end(""), max: max) == [.text(fits)])
        #expect(read(.text(fits + "x"), max: max) == [.failure(1009)])
        #expect(read(.beginning(fits), .middle(""), .end("x"), max: max) == [.failure(1009)])
    }

    @Test func `a message that is too large is refused at its length`() {
        let header = ClientFrame.text(String(repeating: "x", count: 101)).header
        #expect(read([Array(header.prefix(2))], max: 100) == [.failure(1009)])
        let huge: [UInt8] = [0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        #expect(read([huge], max: 100) == [.failure(1009)])
        #expect(read([huge], max: .max) == [])
        let beginning = ClientFrame.beginning(String(repeating: "x", count: 60)).bytes
        #expect(read([beginning, [0x00, 0x80 | 41]], max: 100) == [.failure(1009)])
        #expect(read([beginning, huge], max: .max) == [.failure(1002)])
        let continued = [0x00] + huge.dropFirst()
        #expect(read([beginning, continued], max: .max) == [.failure(1009)])
    }

    @Test func `a control frame fits beside the largest message`() {
        let said = read(.beginning("1234"), .ping("123456"), .end(""), max: 4)
        #expect(said == [.ping("123456"), .text("1234")])
    }

    @Test func `a length alone reserves no memory`() {
        var reader = WebSocketReader(messageBytesMax: 1 << 30)
        #expect(
            reader.said(of: [0x81, 0xFF, 0, 0, 0, 0, 0x3F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) == [])
        #expect(reader.said(of: [0x78]) == [])
        #expect(reader.carriedBytes == 1)
        #expect(reader.message.capacity < 1_000)
    }

    @Test func `a flood of empty fragments leaves nothing behind, and never ends the message`() {
        var reader = WebSocketReader(messageBytesMax: 100)
        let flood = (0..<10_000).flatMap { _ in ClientFrame.middle("").bytes }
        #expect(reader.said(of: ClientFrame.beginning("").bytes) == [])
        for _ in 0..<5 { #expect(reader.said(of: flood) == []) }
        #expect(reader.carriedBytes == 0)
        #expect(reader.isInsideMessage)
        #expect(reader.said(of: ClientFrame.end("x").bytes) == [.text("x")])
    }

    @Test func `a message in fragments of one byte is one message`() {
        let text = String(repeating: "äöü€𐍈", count: 500)
        let bytes = Array(text.utf8)
        let frames = bytes.enumerated().flatMap { index, byte in
            ClientFrame(index == 0 ? 0x1 : 0x0, [byte], isFinal: index == bytes.count - 1).bytes
        }
        #expect(read([frames], max: bytes.count) == [.text(text)])
        #expect(read(frames.map { [$0] }, max: bytes.count) == [.text(text)])
    }

    // MARK: Memory

    @Test func `a large message leaves no memory behind, a small one leaves little`() {
        var reader = WebSocketReader(messageBytesMax: 1 << 20)
        for count in [10, WebSocketLimits.idleBytesMax * 10] {
            _ = reader.said(of: ClientFrame.text(String(repeating: "x", count: count)).bytes)
            #expect(reader.carriedBytes == 0)
            #expect(reader.message.capacity <= WebSocketLimits.idleBytesMax)
        }
    }

    @Test func `idle memory is freed, that of a message that hasn't ended isn't`() {
        var reader = WebSocketReader(messageBytesMax: 1 << 20)
        _ = reader.said(of: ClientFrame.text("some text").bytes + ClientFrame.ping("x").bytes)
        reader.releaseIdleMemory()
        #expect(reader.message.capacity == 0)
        #expect(reader.control.capacity == 0)
        #expect(reader.said(of: ClientFrame.beginning("to be ").bytes) == [])
        reader.releaseIdleMemory()
        #expect(reader.said(of: Array(ClientFrame.ping("dribble").bytes.dropLast())) == [])
        reader.releaseIdleMemory()
        #expect(
            reader.said(of: Array(ClientFrame.ping("dribble").bytes.suffix(1))) == [
                .ping("dribble")
            ])
        #expect(reader.said(of: ClientFrame.end("continued").bytes) == [.text("to be continued")])
    }

    @Test func `idle memory can be freed at once after a message`() {
        var reader = WebSocketReader(messageBytesMax: 100)
        ClientFrame.text("a").bytes.withUnsafeBytes { chunk in
            var position = 0
            #expect(reader.next(in: chunk, from: &position) == .text)
        }
        #expect(reader.message == [0x61])
        reader.releaseIdleMemory()
        #expect(reader.message.isEmpty)
        #expect(reader.said(of: ClientFrame.text("b").bytes) == [.text("b")])
    }
}
