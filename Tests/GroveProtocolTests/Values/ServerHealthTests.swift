import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("ServerHealth")
struct ServerHealthTests {
    @Test func `an engine that is silent for three seconds isn't live`() {
        var health = ServerHealth()
        #expect(health.isReady(at: 9_000) && health.stalledMilliseconds(at: 9_000) == 0)
        health.silentSince = 10_000
        #expect(health.isLive(at: 12_999) && health.isReady(at: 12_999))
        #expect(!health.isLive(at: 13_000) && !health.isReady(at: 13_000))
        #expect(health.stalledMilliseconds(at: 13_000) == 3_000)
    }

    @Test func `a server that drains, or has no room, is live and not ready`() {
        var health = ServerHealth()
        health.isDraining = true
        #expect(health.isLive(at: 0) && !health.isReady(at: 0))
        health = ServerHealth()
        health.isDiskFull = true
        #expect(health.isLive(at: 0) && !health.isReady(at: 0))
    }

    @Test func `a ping with health gets it, without the engine`() throws {
        let talk = try Conversation()
        #expect(
            talk.send(#"{"op":"ping","id":1,"t":[1],"health":true}"# + "\n") == [
                #"{"id":1,"ok":true,"t":[1],"time":"1970-01-01T00:00:00.000Z","health":"#
                    + #"{"live":true,"ready":true,"draining":false,"disk_full":false,"#
                    + #""stalled_ms":0,"set_aside":0}}"#
            ])
        talk.context.health.silentSince = talk.context.now.uptime - 3_500
        talk.context.health.isDiskFull = true
        talk.context.health.isDraining = true
        let told = talk.send(#"{"op":"ping","id":1,"health":true}"# + "\n")
        #expect(
            told.first?.hasSuffix(
                #""health":{"live":false,"ready":false,"draining":true,"disk_full":true,"#
                    + #""stalled_ms":3500,"set_aside":0}}"#) == true)
        #expect(talk.requests.isEmpty)
    }

    @Test func `a ping without health doesn't get it`() throws {
        let talk = try Conversation()
        for line in [#"{"op":"ping","id":1}"#, #"{"op":"ping","id":1,"health":false}"#] {
            #expect(talk.send(line + "\n").first?.contains("health") == false)
        }
        let refused = talk.send(#"{"op":"ping","id":1,"health":1}"# + "\n")
        #expect(refused.first?.contains(#""at":"$.health""#) == true)
    }
}
