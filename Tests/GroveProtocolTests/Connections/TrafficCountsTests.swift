import GroveEngine
import GroveWire
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("TrafficCounts")
struct TrafficCountsTests {
    private func counts(_ talk: Conversation) -> [String] {
        let traffic = talk.context.traffic
        return traffic.requests.map { "\($0.op) \($0.count)" }
            + traffic.errors.map { "\($0.code.rawValue) \($0.count)" }
    }

    @Test func `requests are counted by op, errors by code`() throws {
        let talk = try Conversation()
        talk.send(#"{"op":"ping","id":1}"# + "\n")
        talk.send(#"{"op":"send","id":2,"to":"counter/c","event":"increment"}"# + "\n")
        talk.send(#"{"op":"send","to":"counter/c","event":"increment"}"# + "\n")
        talk.send(#"{"op":"get","id":3,"to":"nowhere"}"# + "\n")
        talk.send("nonsense\n" + #"{"op":"fly","id":4}"# + "\n")
        #expect(
            counts(talk) == [
                "get 1", "ping 1", "send 2", "BAD_JSON 1", "BAD_REQUEST 1", "UNKNOWN_OP 1",
            ])
        // A request without an id gets no reply.
        talk.answer(.failure(.storageFull))
        talk.answer(.failure(.storageFull))
        #expect(counts(talk).last == "STORAGE_FULL 1")
        #expect(TrafficCounts.opNames.contains("send"))
    }

    private let sent = Reply.sent(
        Reply.Sent(
            version: 1, cursor: Cursor(sequence: 1), changed: true, isDone: false,
            isDuplicate: false))

    @Test func `the time of an event is from its arrival to its reply`() throws {
        let talk = try Conversation()
        let send = #"{"op":"send","id":2,"to":"counter/c","event":"increment"}"# + "\n"
        talk.context.microseconds = 1_000
        talk.send(send + send + send)
        talk.context.microseconds = 1_400
        talk.answer(sent)
        talk.answer(.failure(.storageFull))
        talk.context.microseconds = 3_000
        talk.answer(sent)
        let acks = talk.context.traffic.acks
        #expect(acks.count == 2 && acks.sum == 2_400)
    }

    @Test func `requests that wait, and other ops, have no time`() throws {
        let talk = try Conversation()
        talk.send(#"{"op":"send","id":2,"to":"counter/c","event":"increment"}"# + "\n")
        talk.context.microseconds = 1_000
        talk.answer(sent)
        talk.send(
            #"{"op":"send","id":2,"to":"counter/c","event":"increment","settle":"own"}"# + "\n")
        talk.answer(sent)
        // It makes an instance without its machine, and is answered like an event.
        talk.send(
            #"{"op":"import","id":3,"to":"counter/d","v":4,"state":{"count":4}}"# + "\n")
        talk.answer(sent)
        #expect(talk.context.traffic.acks.count == 0)
    }
}
