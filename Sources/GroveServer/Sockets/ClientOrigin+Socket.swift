import Glibc
import GroveAccess
import GroveNetwork
import GroveProtocol
import GroveTLS

extension ClientOrigin {
    /// What a socket says of its client.
    ///
    /// - Parameter peer: Its group for counting; `nil` for a Unix socket.
    init(_ socket: Socket, _ peer: PeerGroup?) {
        guard let peer else {
            self = Self.unixUser(socket.peerUser, server: geteuid())
            return
        }
        self.init(address: peer.description, isLocal: peer.isLoopback)
    }

    /// A user of this machine. The server's own user and root are its owner. One of whom the kernel
    /// doesn't tell, or that this namespace doesn't have, is nobody.
    static func unixUser(
        _ peer: (user: UInt32, group: UInt32)?, server: UInt32
    ) -> ClientOrigin {
        let address = "unix"
        guard let peer, peer.user != Identity.overflowID else {
            return ClientOrigin(address: address, isLocal: true)
        }
        return ClientOrigin(
            address: address, isLocal: true, isOwner: peer.user == server || peer.user == 0,
            identities: [Identity(user: peer.user), Identity(group: peer.group)].compactMap { $0 })
    }

    /// The same client, with the names of its verified certificate.
    func with(_ certificate: TLSCertificate?) -> ClientOrigin {
        var origin = self
        for text in certificate?.identities ?? [] {
            // A name that can't be an identity is nobody's.
            if let identity = try? Identity(text) { origin.identities.append(identity) }
        }
        return origin
    }
}
