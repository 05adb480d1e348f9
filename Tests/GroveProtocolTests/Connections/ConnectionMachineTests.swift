import GroveWire
import OrderedJSON
import Testing

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ConnectionMachine")
struct ConnectionMachineTests {
    static let sent = Reply.sent(
        Reply.Sent(
            version: 1, cursor: Cursor(sequence: 1), changed: true, isDone: false,
            isDuplicate: false))

    private func request(_ id: String) -> String {
        #"{"op":"send","id":\#(id),"to":"counter/c","event":"increment"}"# + "\n"
    }

    private func ack(_ id: String) -> String {
        #"{"id":\#(id),"ok":true,"v":1,"cur":"\#(Conversation.zero)1","changed":true}"#
    }

    // MARK: Greeting

    @Test func `the server speaks first`() throws {
        let talk = try Conversation(greets: true)
        let expected =
            #"{"op":"hello","server":"grove","version":"0.1.0","proto":[1],"node":"n-1","#
            + #""auth_required":false,"features":["jsonrpc","auth"],"max_line":1048576,"#
            + #""max_inflight":1024,"max_pending":8388608,"heartbeat_ms":30000,"#
            + #""time":"1970-01-01T00:00:00.000Z"}"#
        #expect(talk.lines() == [expected])
    }

    @Test func `hello is answered with the session`() throws {
        let talk = try Conversation()
        #expect(
            talk.send(#"{"op":"hello","id":0,"proto":1,"client":"x"}"# + "\n")
                == [#"{"id":0,"ok":true,"session":"c-81","principal":"anonymous"}"#])
        let again = talk.send(#"{"op":"hello","id":1}"# + "\n")
        #expect(again.map(\.code) == ["BAD_REQUEST"])
        #expect(talk.machine.closing == nil)
    }

    @Test func `an unknown protocol version is refused, and the connection ends`() throws {
        let talk = try Conversation()
        let lines = talk.send(#"{"op":"hello","id":0,"proto":2}"# + "\n" + request("1"))
        #expect(lines.map(\.code) == ["UNSUPPORTED_PROTO"])
        #expect(talk.machine.closing == .unsupportedProto)
        #expect(talk.shouldClose)
        #expect(talk.requests.isEmpty)
    }

    @Test func `requests before an unknown protocol version are answered`() throws {
        let talk = try Conversation()
        _ = talk.send(request("1") + #"{"op":"hello","id":2,"proto":2}"# + "\n")
        #expect(!talk.shouldClose, "one reply per request that has an id")
        #expect(talk.answer(Self.sent) == [ack("1")])
        #expect(talk.shouldClose)
    }

    // MARK: Requests

    @Test func `a request is passed on, and its reply has its id`() throws {
        let talk = try Conversation()
        #expect(talk.send(request(#""a\u0062""#)).isEmpty)
        #expect(talk.requests.count == 1)
        #expect(talk.answer(Self.sent) == [ack(#""a\u0062""#)])
    }

    @Test func `a conversation cut at any byte has the same replies`() throws {
        let text = Array((request("1") + "x\r\n\n" + request("\"é\"") + request("3")).utf8)
        for cut in 0...text.count {
            let talk = try Conversation()
            for part in [text[..<cut], text[cut...]] {
                talk.receive(Array(part))
            }
            #expect(talk.lines().map(\.code) == ["BAD_JSON"])
            #expect(talk.requests.count == 3, "cut at \(cut)")
            #expect(talk.answer(Self.sent) == [ack("1")])
            #expect(talk.answer(Self.sent) == [ack("\"é\"")])
        }
    }

    @Test func `replies overtake each other, and every one finds its id`() throws {
        let talk = try Conversation()
        talk.send(request("1") + request("2") + request("3"))
        #expect(talk.answer(Self.sent, at: 1) == [ack("2")])
        talk.send(request("4"))
        #expect(talk.answer(Self.sent, at: 2) == [ack("4")])
        #expect(talk.answer(Self.sent) == [ack("1")])
        #expect(talk.answer(Self.sent) == [ack("3")])
        #expect(talk.machine.inflight == 0)
        #expect(talk.context.outstanding == 0)
    }

    @Test func `a request without an id gets nothing back, not even an error`() throws {
        let talk = try Conversation()
        let send = #"{"op":"send","to":"counter/c","event":"increment"}"# + "\n"
        #expect(talk.send(send + #"{"op":"fly"}"# + "\n" + #"{"op":"ping"}"# + "\n").isEmpty)
        #expect(talk.requests.count == 1)
        #expect(talk.answer(Self.sent).isEmpty)
        #expect(talk.machine.inflight == 0)
    }

    @Test func `a line without a readable id is answered with null`() throws {
        let talk = try Conversation()
        let lines = talk.send("{\n5\n{\"op\":\"stats\",\"id\":1.5}\n")
        #expect(lines.map(\.code) == ["BAD_JSON", "BAD_REQUEST", "BAD_REQUEST"])
        #expect(lines.allSatisfy { $0.hasPrefix(#"{"id":null,"error":"#) })
        #expect(lines.map(\.place) == [1, "$", "$.id"])
    }

    @Test func `ping echoes and returns the time`() throws {
        let talk = try Conversation()
        #expect(
            talk.send(#"{"op":"ping","id":1,"t":[1, 2]}"# + "\n")
                == [#"{"id":1,"ok":true,"t":[1, 2],"time":"1970-01-01T00:00:00.000Z"}"#])
        #expect(
            talk.send(#"{"op":"ping","id":1}"# + "\n")
                == [#"{"id":1,"ok":true,"time":"1970-01-01T00:00:00.000Z"}"#])
    }

    @Test func `a line too long is refused once, and the next one is accepted`() throws {
        let talk = try Conversation({ $0.lineBytesMax = 100 })
        let long = String(repeating: " ", count: 101)
        #expect(talk.send(long).map(\.code) == ["LINE_TOO_LONG"])
        #expect(talk.send(long).isEmpty)
        #expect(talk.send(long + "\n" + request("1")).isEmpty)
        #expect(talk.requests.count == 1)
        #expect(talk.send(long + "\n").first?.hasPrefix(#"{"id":null,"#) == true)
    }

    @Test func `the lines of one turn are bounded, empty ones counted`()
        throws
    {
        let talk = try Conversation()
        let most = ServerLimits.linesPerTurnMax
        talk.receive(String(repeating: "{\n", count: 3 * most))
        #expect(talk.lines().count == most)
        #expect(!talk.wantsInput)
        #expect(talk.canResume)
        #expect(talk.resume().count == most)
        #expect(talk.resume().count == most)
        #expect(talk.wantsInput)
        talk.receive(String(repeating: "\n", count: 100 * most) + #"{"op":"ping","id":1}"# + "\n")
        #expect(talk.lines().isEmpty)
        #expect(talk.canResume)
        #expect(talk.resume().count == 1)
    }

    @Test func `16 MiB in one line end the connection`() throws {
        let talk = try Conversation()
        let chunk = String(repeating: "x", count: 1 << 20)
        for _ in 0..<16 { talk.send(chunk) }
        #expect(talk.machine.closing == nil)
        talk.send("x")
        #expect(talk.machine.closing == .lineFlood)
        #expect(talk.shouldClose)
    }

    // MARK: Strict order

    @Test func `under strict order replies wait their turn, pings and errors too`() throws {
        let talk = try Conversation()
        talk.send(#"{"op":"hello","order":"strict"}"# + "\n")
        #expect(
            talk.send(
                request("1") + #"{"op":"ping","id":2}"# + "\n" + request("3") + "{\n"
                    + request("4")
            ).isEmpty)
        #expect(talk.requests.count == 3)
        #expect(talk.answer(Self.sent, at: 2).isEmpty)
        #expect(talk.answer(Self.sent, at: 1).isEmpty)
        let lines = talk.answer(Self.sent)
        #expect(lines.count == 5)
        #expect(lines[0] == ack("1"))
        #expect(lines[1].hasPrefix(#"{"id":2,"ok":true,"time""#))
        #expect(lines[2] == ack("3"))
        #expect(lines[3].code == "BAD_JSON")
        #expect(lines[4] == ack("4"))
        #expect(talk.machine.inflight == 0 && talk.machine.heldBytes == 0)
        #expect(talk.send(#"{"op":"ping","id":5}"# + "\n").count == 1)
    }

    @Test func `requests without an id delay no other under strict order`() throws {
        let talk = try Conversation()
        talk.send(#"{"op":"hello","order":"strict"}"# + "\n")
        talk.send(#"{"op":"stats"}"# + "\n" + request("2"))
        #expect(talk.answer(Self.sent, at: 1).isEmpty)
        #expect(talk.answer() == [ack("2")])
    }

    // MARK: Bounds

    @Test func `past max_inflight no line is accepted until replies leave`() throws {
        let talk = try Conversation({ $0.inflightMax = 3 })
        talk.send((1...8).map { request("\($0)") }.joined())
        #expect(talk.requests.count == 3)
        #expect(!talk.wantsInput)
        #expect(talk.send(request("9") + #"{"op":"pi"#).isEmpty)
        #expect(talk.answer(Self.sent) == [ack("1")])
        #expect(talk.resume().isEmpty)
        #expect(talk.requests.count == 3)
        var ids: [String] = []
        while !talk.requests.isEmpty {
            ids += talk.answer(Self.sent) + talk.resume()
        }
        #expect(ids == (2...9).map { ack("\($0)") })
        #expect(talk.wantsInput)
        #expect(talk.send(#"ng","id":10}"# + "\n").count == 1)
    }

    @Test func `refusals count as replies do: a client that doesn't read is not read`() throws {
        let talk = try Conversation({ $0.pendingBytesMax = 65_536 })
        let flood = String(repeating: "{\n", count: 30_000)
        talk.receive(flood)
        #expect((65_536..<66_000).contains(talk.machine.outbound.count))
        #expect(!talk.wantsInput)
        var count = 0
        while true {
            let lines = talk.lines()
            if lines.isEmpty { break }
            count += lines.count
            talk.machine.resume(into: &talk.requests, using: &talk.context)
        }
        #expect(count == 30_000)
    }

    @Test func `past the bytes of all lines requests are refused`() throws {
        let talk = try Conversation()
        let pad = String(repeating: "x", count: (1 << 20) - 200)
        let line = #"{"op":"send","id":1,"to":"counter/c","event":"increment","pad":"\#(pad)"}"#
        var taken = 0
        while talk.send(line + "\n").isEmpty { taken += 1 }
        let bound = ServerLimits.outstandingBytesMax
        #expect((bound..<bound + line.utf8.count).contains(taken * line.utf8.count))
        #expect(talk.context.outstandingBytes == taken * line.utf8.count)
        talk.answer(Self.sent)
        #expect(talk.send(line + "\n").isEmpty)
        talk.context.remove(talk.machine)
        #expect(talk.context.outstandingBytes == 0)
    }

    @Test func `past max_outstanding of all connections requests are refused`() throws {
        let talk = try Conversation({ $0.outstandingMax = 2 })
        let lines = talk.send(request("1") + request("2") + request("3"))
        #expect(lines.map(\.code) == ["OVERLOADED"])
        talk.answer(Self.sent)
        #expect(talk.send(request("4")).isEmpty)
    }

    // MARK: Half-close

    @Test func `after a half-close the outstanding replies come, then the server closes`() throws {
        let talk = try Conversation({ $0.inflightMax = 1 })
        talk.send(request("1") + request("2") + #"{"op":"ping""#)
        talk.machine.receiveEnd()
        #expect(talk.machine.closing == nil)
        #expect(!talk.wantsInput)
        #expect(talk.answer(Self.sent) == [ack("1")])
        #expect(talk.machine.closing == nil)
        #expect(talk.resume().isEmpty)
        #expect(talk.answer(Self.sent) == [ack("2")])
        #expect(talk.resume().isEmpty)
        #expect(talk.machine.closing == .clientClosed)
        #expect(talk.shouldClose)
    }

    @Test func `without outstanding requests a half-close is the end`() throws {
        let talk = try Conversation()
        talk.machine.receiveEnd()
        #expect(talk.machine.closing == .clientClosed)
    }

    @Test func `subscriptions live on after a half-close, until they are ended`() throws {
        let talk = try Conversation()
        let name = SubscriptionName(Array("s".utf8))
        talk.send(#"{"op":"subscribe","id":1,"sub":"s"}"# + "\n")
        let start = Cursor(sequence: 0)
        talk.answer(.subscribed(name, current: start, first: start))
        #expect(talk.machine.subscriptions == 1)
        talk.send(#"{"op":"unsubscribe","sub":"x"}"# + "\n")
        talk.answer(.failure(.noSuchSubscription))
        #expect(talk.machine.subscriptions == 1)
        talk.send(#"{"op":"unsubscribe","sub":"s"}"# + "\n")
        talk.machine.receiveEnd()
        #expect(talk.machine.closing == nil)
        talk.answer(.done)
        #expect(talk.machine.subscriptions == 0)
        #expect(talk.machine.closing == .clientClosed)
    }

    // MARK: Records and drain

    @Test func `a record is encoded once and names each subscription`() throws {
        let talk = try Conversation()
        talk.context.prepare(.liveMark(Cursor(sequence: 9)))
        for name in ["s1", "ä\""] {
            talk.publish(10, to: name)
        }
        #expect(
            talk.lines() == [
                #"{"sub":"s1","cur":"\#(Conversation.zero)9","mark":"live"}"#,
                #"{"sub":"ä\"","cur":"\#(Conversation.zero)9","mark":"live"}"#,
            ])
    }

    @Test func `sent records are reported together when the buffer is low`() throws {
        let talk = try Conversation({ $0.pendingBytesMax = 65_536 })
        talk.context.prepare(.liveMark(Cursor(sequence: 9)))
        talk.publish(4_000)
        #expect(talk.machine.makeWindowReport(talk.context) == nil)
        talk.publish(96)
        #expect(talk.machine.makeWindowReport(talk.context) == DeliveryReport(records: 4_096))
        #expect(talk.machine.makeWindowReport(talk.context) == nil)
        for _ in 0..<400 { talk.publish(100) }
        #expect(talk.machine.outbound.count >= 65_536 / 4)
        #expect(talk.machine.makeWindowReport(talk.context) == nil)
        _ = talk.lines()
        #expect(talk.machine.makeWindowReport(talk.context) == DeliveryReport(records: 44_096))
    }

    @Test func `while draining, requests are refused and earlier ones are answered`() throws {
        let talk = try Conversation()
        talk.send(request("1"))
        talk.machine.drain(milliseconds: 10_000, using: &talk.context)
        #expect(talk.lines() == [#"{"op":"draining","deadline_ms":10000}"#])
        #expect(talk.send(request("2")).map(\.code) == ["DRAINING"])
        #expect(talk.send("{\n").map(\.code) == ["BAD_JSON"])
        #expect(talk.send(#"{"op":"ping","id":1}"# + "\n").count == 1)
        #expect(talk.answer(Self.sent) == [ack("1")])
        talk.machine.drain(milliseconds: 10_000, using: &talk.context)
        #expect(talk.lines().isEmpty)
        talk.machine.close(.serverShutdown)
        #expect(talk.shouldClose)
        #expect(talk.send(request("3")).isEmpty)
    }

    @Test func `a connection that ends sends what waits first, unless nobody reads it`() throws {
        let talk = try Conversation(greets: true)
        talk.machine.close(.serverShutdown)
        #expect(!talk.shouldClose)
        #expect(talk.lines().count == 1)
        #expect(talk.shouldClose)
        let other = try Conversation(greets: true)
        other.machine.close(.slowConsumer)
        #expect(other.shouldClose)
        other.machine.close(.serverShutdown)
        #expect(other.machine.closing == .slowConsumer)
    }

    @Test func `a connection that breaks while it closes has ended`() throws {
        for reason in [CloseReason.clientClosed, .serverShutdown, .lineFlood, .httpRequest] {
            let talk = try Conversation(greets: true)
            talk.machine.close(reason)
            #expect(!talk.shouldClose)
            talk.machine.close(.clientGone)
            #expect(talk.machine.closing == .clientGone)
            #expect(talk.shouldClose, "what it is still owed can't be sent")
        }
    }

    @Test func `a closing connection ends when its client accepts nothing`() throws {
        let talk = try Conversation(greets: true)
        talk.machine.close(.clientClosed)
        pass(talk, talk.context.limits.heartbeatMilliseconds * 3 - 1)
        #expect(!talk.shouldClose)
        pass(talk, 1)
        #expect(talk.machine.closing == .slowConsumer)
        #expect(talk.shouldClose)
    }

    /// Lets time pass for a client that reads nothing.
    private func pass(_ talk: Conversation, _ milliseconds: Int64) {
        talk.context.now.uptime += milliseconds
        talk.machine.tick(using: &talk.context)
    }
}
