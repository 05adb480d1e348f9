import GroveWire
import OrderedJSON
import Testing

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ProtocolContext")
struct ProtocolContextTests {
    private func change(_ talk: Conversation, _ body: (inout ServerLimits) -> Void) {
        var limits = talk.context.limits
        body(&limits)
        talk.context.change(limits: limits)
    }

    private func ping(bytes: Int) -> String {
        let frame = #"{"op":"ping","id":1,"t":""}"#
        let echo = String(repeating: "x", count: bytes - frame.utf8.count)
        return #"{"op":"ping","id":1,"t":"\#(echo)"}"# + "\n"
    }

    @Test func `longer lines are for later connections, with their greeting`() throws {
        let talk = try Conversation { $0.lineBytesMax = 1_000 }
        change(talk) { $0.lineBytesMax = 2_000 }
        let refused = talk.send(ping(bytes: 1_001))
        #expect(refused.count == 1 && refused[0].contains("a line has at most 1000 bytes"))
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        talk.machine.greet(using: &talk.context)
        #expect(talk.lines().first?.contains(#""max_line":2000"#) == true)
        #expect(talk.send(ping(bytes: 2_000)).first?.contains(#""ok":true"#) == true)
        #expect(talk.send(ping(bytes: 2_001)).first?.contains("at most 2000 bytes") == true)
    }

    @Test func `shorter lines hold for later connections only`() throws {
        let talk = try Conversation { $0.lineBytesMax = 2_000 }
        change(talk) { $0.lineBytesMax = 1_000 }
        #expect(talk.send(ping(bytes: 2_000)).first?.contains(#""ok":true"#) == true)
        talk.machine = ConnectionMachine(id: ConnectionID(82), context: talk.context)
        #expect(talk.send(ping(bytes: 1_001)).first?.contains("at most 1000 bytes") == true)
    }

    @Test func `max-inflight changes for all connections`() throws {
        let talk = try Conversation()
        change(talk) { $0.inflightMax = 1 }
        talk.receive(String(repeating: #"{"op":"stats","id":1}"# + "\n", count: 3))
        #expect(talk.requests.count == 1)
        change(talk) { $0.inflightMax = 2 }
        _ = talk.resume()
        #expect(talk.requests.count == 2)
    }

    @Test func `line-timeout-ms changes for all connections`() throws {
        let talk = try Conversation()
        talk.send("x")
        change(talk) { $0.lineMilliseconds = 500 }
        talk.wait(500)
        #expect(talk.machine.closing == .lineTimeout)
    }

    @Test func `max-pending stays, because the engine calculates with it`() throws {
        let talk = try Conversation()
        let before = talk.context.limits.pendingBytesMax
        change(talk) { $0.pendingBytesMax += 1 }
        #expect(talk.context.limits.pendingBytesMax == before)
        #expect(talk.context.configuredLimits.pendingBytesMax == before)
    }
}
