import GroveNetwork
import Testing

@testable import GroveServer

@Suite("HandshakeTable")
struct HandshakeTableTests {
    private func peer(_ number: UInt8) -> PeerGroup? {
        PeerGroup(SocketAddress(host: .v4([10, 0, 0, number]), port: 1))
    }

    @Test func `where most have sent nothing, the oldest of them goes`() {
        var table = HandshakeTable()
        func add(_ id: UInt64, _ address: UInt8) -> UInt64? {
            table.add(id, of: peer(address), at: Int64(id), max: 4, perPeerMax: 3)
        }
        #expect(add(1, 1) == nil && add(2, 1) == nil && add(3, 1) == nil)
        table.begin(1)
        #expect(add(4, 1) == 2)
        table.wait(3)
        // The first bytes of the fourth may be on their way.
        #expect(add(5, 1) == 1)
        #expect(add(6, 2) == nil)
        #expect(add(7, 3) == 4)
    }

    @Test func `those that wait begin in their order`() {
        var table = HandshakeTable()
        for id in 1...4 as ClosedRange<UInt64> {
            #expect(table.add(id, of: nil, at: 0, max: 9, perPeerMax: 9) == nil)
            if id > 1 { table.wait(id) }
        }
        table.remove(3)
        #expect(table.waitingCount == 2 && !table.hasBegun(2))
        #expect(table.beginNext() == 2 && table.hasBegun(2))
        #expect(table.beginNext() == 4 && table.beginNext() == nil)
        #expect(table.waitingCount == 0 && !table.hasBegun(1))
    }

    @Test func `the oldest of an address goes first, then the oldest of all`() {
        var table = HandshakeTable()
        func add(_ id: UInt64, _ address: UInt8) -> UInt64? {
            table.add(id, of: peer(address), at: Int64(id), max: 4, perPeerMax: 2)
        }
        #expect(add(1, 1) == nil && add(2, 2) == nil && add(3, 1) == nil)
        #expect(add(4, 1) == 1)
        #expect(add(5, 3) == nil && table.count == 4)
        #expect(add(6, 4) == 2)
        table.remove(3)
        table.remove(99)
        #expect(table.count == 3)
        #expect(add(7, 1) == nil)
    }

    @Test func `those that began long ago are found`() {
        var table = HandshakeTable()
        for id in 1...5 as ClosedRange<UInt64> {
            _ = table.add(id, of: nil, at: Int64(id) * 10, max: 9, perPeerMax: 9)
        }
        #expect(table.started(by: 9) == [])
        #expect(table.started(by: 30) == [1, 2, 3])
        #expect(table.started(by: 99).count == 5)
    }
}
