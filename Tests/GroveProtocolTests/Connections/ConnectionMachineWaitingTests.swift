import BuiltInMachines
import GroveTestSupport
import GroveWire
import Testing

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ConnectionMachine: replies that wait")
struct ConnectionMachineWaitingTests {
    static let await =
        #"{"op":"await","id":1,"to":"turnstile/t","until":"done","timeout_ms":1000}"# + "\n"
    static let settle =
        #"{"op":"send","id":2,"to":"counter/c","event":"increment","settle":"own","#
        + #""reply":"full"}"# + "\n"
    static let get = #"{"op":"get","id":3,"to":"counter/c"}"# + "\n"

    @Test func `waiting requests don't prevent others from being read`() throws {
        let talk = try Conversation()
        let count = 64
        talk.send(String(repeating: Self.await + Self.settle, count: count))
        #expect(talk.requests.count == count * 2)
        talk.send(Self.get)
        #expect(talk.requests.count == count * 2 + 1)
        let last = talk.requests.count - 1
        let timeout = Failure.timeout(isRepeatable: true)
        #expect(talk.answer(.failure(timeout), at: last).map(\.code) == ["TIMEOUT"])
    }

    @Test func `waiting requests count as in flight until they are answered`() throws {
        let talk = try Conversation { $0.inflightMax = 2 }
        talk.send(Self.await + Self.settle + Self.get)
        #expect(talk.requests.count == 2 && talk.machine.inflight == 2)
        talk.answer()
        _ = talk.resume()
        #expect(talk.requests.count == 2 && talk.machine.inflight == 2)
    }

    @Test func `waiting requests use at most half of all places`()
        throws
    {
        let talk = try Conversation { $0.outstandingMax = 6 }
        let refused = talk.send(String(repeating: Self.await, count: 4) + Self.settle)
        #expect(refused.map(\.code) == ["OVERLOADED", "OVERLOADED"])
        #expect(talk.requests.count == 3)
        #expect(talk.send(String(repeating: Self.get, count: 3)) == [])
        #expect(talk.send(Self.get).map(\.code) == ["OVERLOADED"])
        talk.answer()
        #expect(talk.send(Self.get) == [])
    }

    @Test func `one connection has an eighth of the free places`() throws {
        let talk = try Conversation { $0.outstandingMax = 2_000 }
        var taken = 0
        while talk.send(Self.await).isEmpty { taken += 1 }
        // A ninth of half of them: an eighth of what is left then.
        #expect((111...113).contains(taken))
        var served = 0
        for _ in 0..<40 {
            let other = try Conversation { $0.outstandingMax = 2_000 }
            swap(&talk.context, &other.context)
            while other.send(Self.await).isEmpty {}
            if other.machine.inflight >= ServerLimits.waitingRequestsMin { served += 1 }
            swap(&talk.context, &other.context)
        }
        #expect(served >= 20)
        talk.answer(.failure(.timeout(isRepeatable: false)))
        #expect(talk.machine.requests.waiting == taken - 1)
    }

    @Test func `waiting lines have a share of the bytes`() throws {
        let talk = try Conversation()
        let pad = String(repeating: "x", count: 1_000_000)
        let line = #"{"op":"await","id":"\#(pad)","to":"order/o","until":"done","timeout_ms":1000}"#
        var taken = 0
        while talk.send(line + "\n").isEmpty { taken += 1 }
        #expect(taken == 3, "of 32 MiB")
        #expect(talk.machine.requests.waitingBytes > 3_000_000)
        let other = try Conversation()
        swap(&talk.context, &other.context)
        #expect(other.send(line + "\n").isEmpty)
        swap(&talk.context, &other.context)
        while !talk.requests.isEmpty { talk.answer(.failure(.timeout(isRepeatable: false))) }
        #expect(talk.machine.requests.waitingBytes == 0)
        #expect(talk.send(line + "\n").isEmpty)
    }

    @Test func `replies that come together and don't fit are TIMEOUT`() throws {
        let talk = try Conversation { $0.pendingBytesMax = 65_536 }
        talk.send(String(repeating: Self.await, count: 5) + Self.settle)
        let got = Reply.got(
            Reply.Got(
                version: 1, state: [UInt8](repeating: 0x31, count: 30_000), isDone: true,
                result: nil, definition: Reply.DefinitionItem(name: "n", version: "1", hash: nil)))
        for request in talk.requests {
            talk.machine.deliver(got, to: request.token, using: &talk.context)
        }
        let lines = talk.lines()
        #expect(lines.map(\.code) == [nil, nil, nil, "TIMEOUT", "TIMEOUT", "TIMEOUT"])
        #expect(lines[3].contains(#""retry":true"#), "an await changes nothing")
        #expect(lines[5].contains(#""retry":false"#), "an event without a key was applied")
        #expect(talk.machine.inflight == 0)
    }

    @Test func `requests of a closed connection don't count`() throws {
        let server = InMemoryServer(
            catalogue: try Catalogue(BuiltInMachines.definitions), store: MemoryStore(),
            now: Moment(uptime: 1_000, time: Timestamp(milliseconds: 0)))
        let busy = server.connect()
        for number in 1...300 {
            let line = #"{"op":"send","to":"turnstile/t\#(number)","event":"COIN"}"# + "\n"
            try server.receive(line.utf8, from: busy)
        }
        try server.flush()
        let client = server.connect()
        // One that waits for a state, and one whose page takes more than one turn.
        for line in [
            #"{"op":"await","id":1,"to":"turnstile/t1","until":"locked","timeout_ms":1000}"#,
            #"{"op":"list","id":2,"limit":1000}"#,
        ] { try server.receive((line + "\n").utf8, from: client) }
        try server.flush()
        #expect(server.context.outstanding == 2)
        server.remove(client)
        try server.flush()
        #expect(server.context.outstanding == 0 && !server.hasBackgroundWork)
    }

    @Test func `a half-closed client stays until it has its answers`() throws {
        let talk = try Conversation()
        talk.send(Self.await)
        talk.machine.receiveEnd()
        #expect(talk.machine.closing == nil)
        #expect(talk.answer(.failure(.timeout(isRepeatable: true))).map(\.code) == ["TIMEOUT"])
        #expect(talk.machine.closing == .clientClosed)
    }

    @Test func `in strict order waiting requests delay later replies, not requests`() throws {
        let talk = try Conversation()
        talk.send(#"{"op":"hello","order":"strict"}"# + "\n" + Self.await + Self.get)
        #expect(talk.requests.count == 2)
        #expect(talk.answer(.done, at: 1) == [])
        #expect(talk.answer(.done) == [#"{"id":1,"ok":true}"#, #"{"id":3,"ok":true}"#])
    }
}
