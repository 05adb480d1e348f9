import GroveAccess
import GroveProtocol
import Testing

@testable import GroveServer

@Suite("ClientOrigin of sockets")
struct ClientOriginTests {
    @Test(arguments: [
        (peer: 1_000 as UInt32, server: 1_000 as UInt32, isOwner: true),
        (0, 1_000, true), (1_001, 1_000, false), (1_000, 0, false), (0, 0, true),
    ])
    func `the server's own user and root own it`(
        peer: UInt32, server: UInt32, isOwner: Bool
    ) throws {
        let origin = ClientOrigin.unixUser((peer, 7), server: server)
        #expect(origin.isOwner == isOwner && origin.isLocal)
        #expect(origin.identities == [try Identity("uid:\(peer)"), try Identity("gid:7")])
    }

    @Test func `a user that this namespace doesn't have is nobody`() {
        let overflow = ClientOrigin.unixUser((Identity.overflowID, 7), server: Identity.overflowID)
        #expect(!overflow.isOwner && overflow.identities.isEmpty)
        let unsaid = ClientOrigin.unixUser(nil, server: 0)
        #expect(!unsaid.isOwner && unsaid.identities.isEmpty)
        // The group alone may be another namespace's.
        let group = ClientOrigin.unixUser((5, Identity.overflowID), server: 0)
        #expect(group.identities.map(\.text) == ["uid:5"])
    }
}
