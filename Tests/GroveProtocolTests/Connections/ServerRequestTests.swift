import GroveEngine
import Testing

@testable import GroveProtocol

@Suite("ServerRequest")
struct ServerRequestTests {
    private let stats = #"{"op":"stats","id":1}"# + "\n"

    @Test func `the server answers stats only while the engine doesn't`() throws {
        let talk = try Conversation()
        talk.send(stats)
        #expect(talk.requests.count == 1 && talk.machine.takeServerRequests().isEmpty)
        talk.context.health.silentSince = talk.context.now.uptime - 2_999
        talk.send(stats)
        #expect(talk.requests.count == 2 && talk.machine.takeServerRequests().isEmpty)
        talk.context.health.silentSince = talk.context.now.uptime - 3_000
        talk.send(stats)
        let taken = talk.machine.takeServerRequests()
        #expect(talk.requests.count == 2 && taken.map(\.kind) == [.stats])
        #expect(talk.machine.takeServerRequests().isEmpty)
        let token = try #require(taken.first?.token)
        talk.machine.deliver(.statistics([("commits", 7)]), to: token, using: &talk.context)
        #expect(talk.lines() == [#"{"id":1,"ok":true,"commits":7}"#])
    }

    @Test func `a server that drains refuses both`() throws {
        let talk = try Conversation()
        talk.context.health.silentSince = talk.context.now.uptime - 3_000
        talk.machine.drain(milliseconds: 500, using: &talk.context)
        _ = talk.lines()
        for op in ["stats", "reload"] {
            let answer = talk.send(#"{"op":"\#(op)","id":1}"# + "\n")
            #expect(answer.first?.contains("DRAINING") == true, "\(answer)")
        }
        #expect(talk.machine.takeServerRequests().isEmpty)
    }
}
