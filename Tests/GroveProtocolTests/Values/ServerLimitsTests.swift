import Testing

@testable import GroveProtocol

@Suite("ServerLimits")
struct ServerLimitsTests {
    @Test func `the defaults are those of the protocol's page`() {
        let limits = ServerLimits()
        #expect(limits.lineBytesMax == 1_048_576)
        #expect(limits.inflightMax == 1_024)
        #expect(limits.pendingBytesMax == 8_388_608)
        #expect(limits.connectionsMax == 10_240)
        #expect(limits.heartbeatMilliseconds == 30_000)
        #expect(limits.slowConsumerMilliseconds == 30_000)
        #expect(ServerLimits.lineBytesHard == 16 << 20)
        #expect(ServerLimits.depthMax == 64)
    }

    @Test func `a line of the maximum length can always be answered`() {
        #expect(ServerLimits().lineBytesMax < ServerLimits().pendingBytesMax / 2)
        #expect(ServerLimits().lineBytesMax + 1 < ServerLimits.lineBytesHard)
    }
}
