import GroveWire
import OrderedJSON
import Testing

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ProtocolContext")
struct ProtocolContextTests {
    private func change(_ talk: inout Conversation, _ body: (inout ServerLimits) -> Void) {
        var limits = talk.context.limits
        body(&limits)
        talk.context.change(limits: limits)
    }

    private func ping(bytes: Int) -> String {
        let frame = #"{"op":"ping","id":1,"t":""}"#
        let echo = String(repeating: "x", count: bytes - frame.utf8.count)
        return #"{"op":"ping","id":1,"t":"\#(echo)"}"# + "\n"
    }

    @Test func `longer lines are for connections to come, whose greeting tells them`() throws {
        var talk = try Conversation { $0.lineBytesMax = 1_000 }
        change(&talk) { $0.lineBytesMax = 2_000 }
        let refused = talk.send(ping(bytes: 1_001))
        #expect(refused.count == 1 && refused[0].contains("a line has at most 1000 bytes"))
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        talk.machine.greet(using: &talk.context)
        #expect(talk.lines().first?.contains(#""max_line":2000"#) == true)
        #expect(talk.send(ping(bytes: 2_000)).first?.contains(#""ok":true"#) == true)
        #expect(talk.send(ping(bytes: 2_001)).first?.contains("at most 2000 bytes") == true)
    }

    @Test func `shorter lines too: who was told more may send more`() throws {
        var talk = try Conversation { $0.lineBytesMax = 2_000 }
        change(&talk) { $0.lineBytesMax = 1_000 }
        #expect(talk.send(ping(bytes: 2_000)).first?.contains(#""ok":true"#) == true)
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        #expect(talk.send(ping(bytes: 1_001)).first?.contains("at most 1000 bytes") == true)
    }

    @Test func `how much may be under way changes for everybody`() throws {
        var talk = try Conversation()
        change(&talk) { $0.inflightMax = 1 }
        talk.receive(String(repeating: #"{"op":"stats","id":1}"# + "\n", count: 3))
        #expect(talk.requests.count == 1)
        change(&talk) { $0.inflightMax = 2 }
        _ = talk.resume()
        #expect(talk.requests.count == 2)
    }

    @Test func `how long a line may take changes for everybody`() throws {
        var talk = try Conversation()
        talk.send("x")
        change(&talk) { $0.lineMilliseconds = 500 }
        talk.wait(500)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `how much may wait stays as it is, because the engine counts with it`() throws {
        var talk = try Conversation()
        let before = talk.context.limits.pendingBytesMax
        change(&talk) { $0.pendingBytesMax += 1 }
        #expect(talk.context.limits.pendingBytesMax == before)
        #expect(talk.context.configuredLimits.pendingBytesMax == before)
    }

    @Test func `large replies of all connections take half of what buffers may`() throws {
        // Four of a mebibyte.
        func talk(_ context: ProtocolContext? = nil) throws -> Conversation {
            var talk = try Conversation { $0.bufferBytesMax = 8 << 20 }
            if let context { talk.context = context }
            return talk
        }
        let get = #"{"op":"get","id":1,"to":"counter/c"}"# + "\n"
        var first = try talk()
        first.send(String(repeating: get, count: 3))
        #expect(first.requests.count == 2, "half of it is for those that have none")
        #expect(first.machine.waitsForTurn && !first.machine.wantsInput(first.context.limits))
        #expect(first.machine.bufferedBytes == get.utf8.count - 1)
        var second = try talk(first.context)
        second.send(get)
        var third = try talk(second.context)
        third.send(get)
        #expect(third.requests.count == 1 && !third.machine.waitsForTurn)
        var fourth = try talk(third.context)
        fourth.send(get + #"{"op":"ping","id":2}"# + "\n")
        #expect(fourth.requests.isEmpty && fourth.machine.waitsForTurn)
        #expect(!fourth.context.hasLargeRoom)
        fourth.machine.receiveEnd()
        #expect(fourth.machine.closing == nil, "it is still to be answered")
        // A reply makes room, and it is the turn of the one that waits.
        first.context = fourth.context
        first.context.hasLargeQueue = true
        first.answer()
        #expect(first.context.hasLargeRoom)
        _ = first.resume()
        #expect(first.requests.count == 1 && first.machine.waitsForTurn)
        fourth.context = first.context
        #expect(fourth.resume().isEmpty && fourth.requests.isEmpty, "not yet asked")
        fourth.context.isLargeTurn = true
        let lines = fourth.resume()
        #expect(fourth.requests.count == 1 && lines.count == 1, "and the ping behind it")
        #expect(!fourth.context.isLargeTurn)
        // Who goes leaves its places.
        fourth.context.forget(fourth.machine)
        #expect(fourth.context.largeRequests == 3)
    }

    @Test func `a larger reply than expected makes fewer of them, until it is forgotten`() throws {
        var talk = try Conversation { $0.bufferBytesMax = 16 << 20 }
        let get = #"{"op":"get","id":1,"to":"counter/c"}"# + "\n"
        talk.send(get)
        let state = [UInt8](repeating: 0x31, count: 2 << 20)
        let definition = Reply.DefinitionItem(name: "n", version: "1", hash: nil)
        talk.answer(
            .got(
                Reply.Got(
                    version: 1, state: state, isDone: false, result: nil,
                    definition: definition)))
        talk.context.hasLargeQueue = false
        talk.send(String(repeating: get, count: 8))
        #expect(talk.requests.count == 1, "half of three, each of more than two mebibytes")
        talk.wait(ServerLimits.largeReplyWindowMilliseconds)
        _ = talk.resume()
        #expect(talk.requests.count == 1)
        talk.wait(ServerLimits.largeReplyWindowMilliseconds)
        _ = talk.resume()
        #expect(talk.requests.count == 4, "half of eight, each of one mebibyte again")
    }
}
