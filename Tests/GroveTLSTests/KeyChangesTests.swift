import GroveTLS
import GroveTestSupport
import Testing

@Suite("KeyChanges")
struct KeyChangesTests {
    private static func open() throws -> TLSPair {
        let pair = try TLSPair(TLSPair.client(), TLSPair.server())
        pair.carry()
        return pair
    }

    @Test func `each side may change the keys, as often as it has something to say`() throws {
        let pair = try Self.open()
        let rounds = [UInt8](0..<100)
        for round in rounds {
            pair.client.changeKeys()
            pair.send([round], from: .client)
            pair.carry()
            pair.server.changeKeys()
            pair.send([round], from: .server)
            pair.carry()
        }
        #expect(pair.client.phase == .open && pair.server.phase == .open)
        #expect(pair.serverReceived == rounds && pair.clientReceived == rounds)
    }

    @Test func `a peer that does nothing else fails`() throws {
        let flooded = try Self.open()
        for _ in 0..<40 { flooded.client.changeKeys() }
        flooded.carry()
        #expect(flooded.serverFailure?.kind == .tooMuch)
        let other = try Self.open()
        for _ in 0..<40 { other.server.changeKeys() }
        other.carry()
        #expect(other.clientFailure?.kind == .tooMuch)
    }
}
