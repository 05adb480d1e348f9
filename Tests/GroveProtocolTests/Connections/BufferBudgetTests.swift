import GroveEngine
import GroveWire
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("BufferBudget")
struct BufferBudgetTests {
    @Test func `from half of the bound each connection has its share`() {
        var budget = BufferBudget(bytesMax: 1 << 20)
        budget.connections = 8
        var one = 0
        budget.count((1 << 19) - 1, insteadOf: &one)
        #expect(!budget.isShort && budget.pendingBytesMax(1 << 23) == 1 << 23)
        budget.count(1 << 19, insteadOf: &one)
        #expect(one == 1 << 19 && budget.bytes == 1 << 19)
        #expect(budget.isShort && !budget.isSpent)
        #expect(budget.pendingBytesMax(1 << 23) == 1 << 16)
        #expect(budget.pendingBytesMax(1 << 10) == 1 << 10)
        budget.count(1 << 18, insteadOf: &one)
        #expect(budget.isShort)
        budget.count((1 << 18) - 1, insteadOf: &one)
        #expect(!budget.isShort)
    }

    @Test func `a share has a minimum, and the whole bound can be used`() {
        var budget = BufferBudget(bytesMax: 1 << 20)
        budget.connections = 10_000
        var (one, other) = (0, 0)
        budget.count(1 << 19, insteadOf: &one)
        budget.count(1 << 19, insteadOf: &other)
        #expect(budget.isSpent)
        #expect(budget.pendingBytesMax(1 << 23) == ServerLimits.shareBytesMin)
        budget.count(0, insteadOf: &one)
        budget.count(0, insteadOf: &other)
        #expect(budget.bytes == 0 && !budget.isSpent && !budget.isShort)
    }

    @Test func `while memory is short subscriptions begin as everything else does`() throws {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        var held = 0
        talk.context.buffers.count(1 << 19, insteadOf: &held)
        #expect(talk.context.buffers.isShort)
        talk.send(#"{"op":"subscribe","id":1,"sub":"s"}"# + "\n")
        talk.send(#"{"op":"send","id":2,"to":"counter/c","event":"increment"}"# + "\n")
        #expect(talk.requests.count == 2)
    }

    @Test func `the context follows the buffers, the greeting the configuration`() throws {
        let talk = try Conversation { $0.bufferBytesMax = 1 << 20 }
        #expect(talk.context.applyMemoryPressure() == nil)
        var held = 0
        talk.context.buffers.connections = 16
        talk.context.buffers.count(1 << 19, insteadOf: &held)
        #expect(talk.context.applyMemoryPressure() == 1 << 15)
        #expect(talk.context.applyMemoryPressure() == nil)
        #expect(talk.context.limits.pendingBytesMax == 1 << 15)
        talk.machine.greet(using: &talk.context)
        #expect(talk.lines().first?.contains(#""max_pending":8388608"#) == true)
        talk.context.buffers.count(0, insteadOf: &held)
        #expect(talk.context.applyMemoryPressure() == 8 << 20)
    }

    @Test func `a connection's bytes are waiting lines, half lines and unsent bytes`()
        throws
    {
        let talk = try Conversation { $0.inflightMax = 1 }
        talk.receive(#"{"op":"ping","id":1}"# + "\n")
        let sent = talk.machine.bufferedBytes
        #expect(sent > 0 && sent == talk.machine.outbound.count)
        _ = talk.lines()
        #expect(talk.machine.bufferedBytes == 0)
        talk.receive("{\"op\":")
        #expect(talk.machine.bufferedBytes == 6)
        let line = #""send","id":1,"to":"counter/c","event":"increment"}"# + "\n"
        talk.receive(line + "0123456789\n")
        #expect(talk.machine.bufferedBytes == 11)
    }
}
