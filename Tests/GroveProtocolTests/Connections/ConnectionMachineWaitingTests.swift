import GroveEngine
import Testing

@testable import GroveProtocol

@Suite("ConnectionMachine: replies that wait")
struct ConnectionMachineWaitingTests {
    static let await =
        #"{"op":"await","id":1,"to":"turnstile/t","until":"done","timeout_ms":1000}"# + "\n"
    static let settle =
        #"{"op":"send","id":2,"to":"counter/c","event":"increment","settle":"own","#
        + #""reply":"full"}"# + "\n"
    static let get = #"{"op":"get","id":3,"to":"counter/c"}"# + "\n"

    @Test func `they keep no other request from being read, however many there are`() throws {
        var talk = try Conversation()
        let count = ServerLimits.largeRequestsMax * 4
        talk.send(String(repeating: Self.await + Self.settle, count: count))
        #expect(talk.requests.count == count * 2)
        talk.send(Self.get)
        #expect(talk.requests.count == count * 2 + 1)
        let last = talk.requests.count - 1
        let timeout = Failure.timeout(isRepeatable: true)
        #expect(talk.answer(.failure(timeout), at: last).map(\.code) == ["TIMEOUT"])
    }

    @Test func `they count as in flight until they are answered`() throws {
        var talk = try Conversation { $0.inflightMax = 2 }
        talk.send(Self.await + Self.settle + Self.get)
        #expect(talk.requests.count == 2 && talk.machine.inflight == 2)
        talk.answer()
        _ = talk.resume()
        #expect(talk.requests.count == 2 && talk.machine.inflight == 2)
    }

    @Test func `they take half of the room that all requests have, and leave the other half`()
        throws
    {
        var talk = try Conversation { $0.outstandingMax = 6 }
        let refused = talk.send(String(repeating: Self.await, count: 4) + Self.settle)
        #expect(refused.map(\.code) == ["OVERLOADED", "OVERLOADED"])
        #expect(talk.requests.count == 3)
        #expect(talk.send(String(repeating: Self.get, count: 3)) == [])
        #expect(talk.send(Self.get).map(\.code) == ["OVERLOADED"])
        talk.answer()
        #expect(talk.send(Self.get) == [])
    }

    @Test func `a half-closed client is kept until it has them`() throws {
        var talk = try Conversation()
        talk.send(Self.await)
        talk.machine.receiveEnd()
        #expect(talk.machine.closing == nil)
        #expect(talk.answer(.failure(.timeout(isRepeatable: true))).map(\.code) == ["TIMEOUT"])
        #expect(talk.machine.closing == .clientClosed)
    }

    @Test func `in strict order they hold back the replies behind them, not the requests`() throws {
        var talk = try Conversation()
        talk.send(#"{"op":"hello","order":"strict"}"# + "\n" + Self.await + Self.get)
        #expect(talk.requests.count == 2)
        #expect(talk.answer(.done, at: 1) == [])
        #expect(talk.answer(.done) == [#"{"id":1,"ok":true}"#, #"{"id":3,"ok":true}"#])
    }
}
