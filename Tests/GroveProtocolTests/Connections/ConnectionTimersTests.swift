import GroveEngine
import GroveWire
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("ConnectionTimers")
struct ConnectionTimersTests {
    @Test func `after 30 s without sending a heartbeat is sent`() throws {
        let talk = try Conversation(greets: true)
        _ = talk.lines()
        #expect(talk.wait(29_999).isEmpty)
        #expect(talk.wait(1) == [#"{"op":"ping","t":1}"#])
        #expect(talk.wait(29_999).isEmpty)
    }

    @Test func `a changed heartbeat holds for later connections`() throws {
        let talk = try Conversation(greets: true)
        _ = talk.lines()
        var limits = talk.context.limits
        limits.heartbeatMilliseconds = 1_000
        talk.context.change(limits: limits)
        #expect(talk.wait(29_999).isEmpty)
        #expect(talk.wait(1) == [#"{"op":"ping","t":1}"#])
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        #expect(talk.wait(1_000) == [#"{"op":"ping","t":1}"#])
    }

    @Test func `two misses end the connection, any line is an answer`() throws {
        let talk = try Conversation()
        talk.wait(30_000)
        talk.wait(30_000)
        #expect(talk.machine.closing == nil)
        talk.send("nonsense\n")
        #expect(talk.wait(30_000) == [#"{"op":"ping","t":3}"#])
        #expect(talk.wait(30_000) == [#"{"op":"ping","t":4}"#])
        #expect(talk.wait(30_000).isEmpty)
        #expect(talk.machine.closing == .heartbeatTimeout)
    }

    @Test func `a connection with traffic gets no ping`() throws {
        let talk = try Conversation()
        for _ in 0..<10 {
            talk.wait(20_000)
            #expect(talk.send(#"{"op":"ping","id":1}"# + "\n").count == 1)
        }
        #expect(talk.machine.closing == nil)
    }

    @Test func `a half-closed client is not asked to answer`() throws {
        let talk = try Conversation()
        talk.send(#"{"op":"subscribe","id":1,"sub":"s"}"# + "\n")
        let start = Cursor(sequence: 0)
        talk.answer(.subscribed(SubscriptionName([0x73]), current: start, first: start))
        talk.machine.receiveEnd()
        for _ in 0..<10 { talk.wait(30_000) }
        #expect(talk.machine.closing == nil)
    }

    @Test func `a line must end 10 s after its first byte, however many follow`() throws {
        let talk = try Conversation()
        for _ in 0..<10 {
            talk.send("x")
            talk.wait(999)
        }
        #expect(talk.machine.closing == nil)
        talk.wait(10)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `each line has its own 10 s`() throws {
        let talk = try Conversation()
        for _ in 0..<5 {
            talk.send("{")
            talk.wait(6_000)
            talk.send("}\n{")
            talk.wait(6_000)
            talk.send("}\n")
        }
        #expect(talk.machine.closing == nil)
    }

    @Test func `a line that the server doesn't read has no deadline`() throws {
        let talk = try Conversation({ $0.inflightMax = 1 })
        talk.send(#"{"op":"stats"}"# + "\n{")
        talk.wait(60_000)
        #expect(talk.machine.closing == nil)
        talk.answer(.done)
        _ = talk.resume()
        talk.wait(9_000)
        #expect(talk.machine.closing == nil)
        talk.wait(10_000)
        #expect(talk.machine.closing == .lineTimeout)
    }

    /// A client in the middle of a line of this many bytes, while memory is short and its share is
    /// 16 KiB; and the holder of the memory.
    private func withinLine(_ bytes: Int) throws -> (talk: Conversation, held: Int) {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        talk.receive("{" + String(repeating: " ", count: bytes - 1))
        let held = makeShort(talk)
        return (talk, held)
    }

    /// Makes memory short for a conversation with at most a mebibyte of it; its share is 16 KiB
    /// then.
    ///
    /// - Returns: How much others hold.
    @discardableResult
    private func makeShort(_ talk: Conversation) -> Int {
        var held = 0
        talk.context.buffers.connections = 1_000
        talk.context.buffers.count(1 << 19, insteadOf: &held)
        #expect(talk.context.applyMemoryPressure() == ServerLimits.shareBytesMin)
        return held
    }

    @Test func `a line in a shortage has 30 s more than its 10 s`() throws {
        let (talk, counted) = try withinLine(ServerLimits.shareBytesMin + 1)
        var held = counted
        #expect(talk.isOverShare)
        talk.wait(1_000)
        talk.context.buffers.count(0, insteadOf: &held)
        #expect(talk.context.applyMemoryPressure() == 8 << 20)
        #expect(!talk.isOverShare)
        for _ in 0..<38 { talk.wait(1_000) }
        #expect(talk.machine.closing == nil)
        talk.wait(1_000)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `the line after it has its 10 s again`() throws {
        let (talk, counted) = try withinLine(ServerLimits.shareBytesMin + 1)
        var held = counted
        talk.wait(1_000)
        talk.context.buffers.count(0, insteadOf: &held)
        #expect(talk.context.applyMemoryPressure() == 8 << 20)
        talk.receive("}\n{")
        for _ in 0..<9 { talk.wait(1_000) }
        #expect(talk.machine.closing == nil)
        talk.wait(1_000)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `a half line of more than a share is closed nevertheless`() throws {
        let (talk, _) = try withinLine(ServerLimits.shareBytesMin + 1)
        for _ in 0..<39 { talk.wait(1_000) }
        #expect(talk.machine.closing == nil)
        talk.wait(1_000)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `waiting lines of more than a share are closed nevertheless`() throws {
        let talk = try Conversation({
            $0.bufferBytesMax = 1 << 20
            $0.inflightMax = 1
        })
        let stats = #"{"op":"stats"}"# + "\n"
        talk.receive(stats + stats + "{" + String(repeating: " ", count: 20_000))
        talk.wait(60_000)
        #expect(talk.machine.closing == nil, "nobody lacks what it holds")
        makeShort(talk)
        for _ in 0..<40 { talk.wait(1_000) }
        #expect(talk.machine.closing == nil)
        talk.wait(1_000)
        #expect(talk.machine.closing == .slowConsumer)
    }

    @Test func `a line within the share is read, and has its 10 s`() throws {
        let (talk, _) = try withinLine(ServerLimits.shareBytesMin)
        #expect(!talk.isOverShare)
        for _ in 0..<9 { talk.wait(1_000) }
        #expect(talk.machine.closing == nil)
        talk.wait(1_000)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `the half line of a half-closed client uses no memory`() throws {
        let talk = try Conversation({ $0.inflightMax = 2 })
        talk.send(#"{"op":"subscribe","id":1,"sub":"s"}"# + "\n")
        let start = Cursor(sequence: 0)
        talk.answer(.subscribed(SubscriptionName([0x73]), current: start, first: start))
        let lines = String(repeating: #"{"op":"stats"}"# + "\n", count: 3)
        talk.send(lines + "{" + String(repeating: " ", count: 100_000))
        talk.machine.receiveEnd()
        #expect(talk.machine.bufferedBytes > 100_000, "the third line is not taken yet")
        while !talk.requests.isEmpty {
            talk.answer(.done)
            _ = talk.resume()
        }
        _ = talk.lines()
        #expect(talk.machine.bufferedBytes == 0)
        for _ in 0..<60 { talk.wait(1_000) }
        #expect(talk.machine.closing == nil, "its subscription lives on")

        let other = try Conversation()
        other.send("{" + String(repeating: " ", count: 100_000))
        other.machine.receiveEnd()
        #expect(other.machine.bufferedBytes == 0 && other.machine.closing == .clientClosed)
    }

    @Test func `a client at its maximum of requests gets no ping`() throws {
        let talk = try Conversation({ $0.inflightMax = 1 })
        talk.send(#"{"op":"stats"}"# + "\n")
        for _ in 0..<10 { #expect(talk.wait(30_000).count == 1, "a heartbeat all the same") }
        #expect(talk.machine.closing == nil)
        talk.answer(.done)
        for _ in 0..<3 { talk.wait(30_000) }
        #expect(talk.machine.closing == .heartbeatTimeout)
    }

    @Test func `while memory is short, replies that wait for their turn count as unsent`() throws {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        talk.send(#"{"op":"hello","order":"strict"}"# + "\n")
        talk.send(#"{"op":"stats"}"# + "\n")
        let echo = String(repeating: "x", count: 20_000)
        talk.send(#"{"op":"ping","id":1,"t":""# + echo + "\"}\n")
        for _ in 0..<60 { pass(talk, 1_000) }
        #expect(talk.machine.closing == nil)
        makeShort(talk)
        for second in 1...30 {
            acceptByte(talk)
            accept(second << 14, talk)
            pass(talk, 1_000)
        }
        #expect(talk.machine.closing == nil)
        pass(talk, 1_000)
        #expect(talk.machine.closing == .slowConsumer)
    }

    /// The client's system accepts a byte.
    private func acceptByte(_ talk: Conversation) {
        talk.machine.outbound.send { _ in 1 }
        talk.machine.recordProgress(using: &talk.context)
    }

    @Test func `a closing connection that stays full ends while memory is short`()
        throws
    {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        talk.machine.outbound.writer.raw([UInt8](repeating: 10, count: 100_000))
        talk.machine.close(.clientClosed)
        for _ in 0..<60 {
            acceptByte(talk)
            pass(talk, 1_000)
        }
        #expect(!talk.shouldClose)
        makeShort(talk)
        for second in 1...30 {
            acceptByte(talk)
            accept(second << 14, talk)
            pass(talk, 1_000)
        }
        #expect(!talk.shouldClose)
        acceptByte(talk)
        pass(talk, 1_000)
        #expect(talk.shouldClose)
    }

    /// A conversation whose client reads nothing; `bytes` wait.
    private func stuck(_ bytes: Int) throws -> Conversation {
        let talk = try Conversation({ $0.pendingBytesMax = 65_536 })
        talk.machine.outbound.writer.raw([UInt8](repeating: 10, count: bytes))
        return talk
    }

    /// The client has confirmed this many bytes by now.
    private func accept(_ bytes: Int, _ talk: Conversation) {
        talk.machine.recordAccepted(bytes, using: talk.context)
    }

    private func pass(_ talk: Conversation, _ milliseconds: Int64) {
        talk.context.now.uptime += milliseconds
        talk.machine.tick(using: &talk.context)
    }

    @Test func `a connection that stays full for 30 s is a slow consumer`() throws {
        let talk = try stuck(65_536)
        pass(talk, 0)
        pass(talk, 29_999)
        #expect(talk.machine.closing == nil)
        pass(talk, 1)
        #expect(talk.machine.closing == .slowConsumer)
        #expect(talk.shouldClose)
    }

    @Test func `a connection that accepts some bytes isn't a slow consumer`() throws {
        let talk = try stuck(65_536)
        pass(talk, 0)
        pass(talk, 20_000)
        acceptByte(talk)
        talk.machine.outbound.writer.raw([10])
        pass(talk, 20_000)
        pass(talk, 20_000)
        #expect(talk.machine.closing == nil)
    }

    @Test func `a connection that accepts nothing has the time of its heartbeats`() throws {
        let talk = try stuck(100)
        pass(talk, 89_999)
        #expect(talk.machine.closing == nil)
        pass(talk, 1)
        #expect(talk.machine.closing == .slowConsumer)
    }

    @Test func `while memory is short, a client that accepts nothing is closed after 8 s`() throws {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        talk.machine.outbound.writer.raw([UInt8](repeating: 10, count: 20_000))
        pass(talk, 10_000)
        #expect(talk.machine.closing == nil, "nobody lacks what it holds")
        accept(16_384, talk)
        makeShort(talk)
        pass(talk, 7_999)
        #expect(talk.machine.closing == nil)
        acceptByte(talk)
        accept(16_385, talk)
        pass(talk, 1)
        #expect(talk.machine.closing == .slowConsumer && talk.shouldClose)
    }

    @Test func `a client that reads steadily but slowly stays while memory is short`() throws {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        talk.machine.outbound.writer.raw([UInt8](repeating: 10, count: 20_000))
        makeShort(talk)
        // 8 KiB/s, of which the kernel's buffer shows nothing for minutes. After 30 s it would be
        // closed because it stays full.
        for second in 1...12 {
            accept(second * 8_192, talk)
            pass(talk, 1_000)
        }
        #expect(talk.machine.closing == nil)
        // On a Unix socket the number may fall, and the client still has its time.
        accept(1_000_000, talk)
        pass(talk, 7_999)
        accept(1_016_384, talk)
        pass(talk, 7_999)
        #expect(talk.machine.closing == nil)
        pass(talk, 1)
        #expect(talk.machine.closing == .slowConsumer)
    }

    @Test func `a client that confirms bytes isn't stuck, however few`() throws {
        let talk = try stuck(100)
        for count in 1...5 {
            pass(talk, 89_999)
            accept(count, talk)
        }
        #expect(talk.machine.closing == nil)
        pass(talk, 90_000)
        #expect(talk.machine.closing == .slowConsumer)
    }

    @Test func `while memory is short, a client with little to accept has its time`() throws {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        talk.machine.outbound.writer.raw([UInt8](repeating: 10, count: 16_000))
        makeShort(talk)
        pass(talk, 60_000)
        #expect(talk.machine.closing == nil)
    }

    @Test func `idle connections give their memory back`() throws {
        let talk = try Conversation()
        talk.send(String(repeating: #"{"op":"stats","id":1}"# + "\n", count: 500))
        while !talk.requests.isEmpty { talk.answer() }
        talk.wait(1_000)
        #expect(talk.machine.outbound.writer.bytes.capacity == 0)
    }
}
