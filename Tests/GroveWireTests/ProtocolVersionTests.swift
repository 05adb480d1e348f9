import Testing

@testable import GroveWire

@Suite("ProtocolVersion")
struct ProtocolVersionTests {
    @Test func `version 1 is spoken, on port 7400`() {
        #expect(ProtocolVersion.current == 1)
        #expect(ProtocolVersion.defaultPort == 7400)
        #expect(ProtocolVersion.server.split(separator: ".").count == 3)
    }
}
