import GroveNetwork

/// Keeps tokens off the network where it isn't encrypted.
enum TokenGuard {
    /// Whether a token may be sent to a server at `address`, whose name has these addresses:
    /// through TLS, a Unix socket, or within this machine. One address of another machine is enough
    /// for no, because any of them may be tried.
    static func allows(_ address: ServerAddress, at endpoints: [SocketAddress]) -> Bool {
        address.isSecure || endpoints.allSatisfy(\.isLoopback)
    }

    /// The error of a client that would have to send its token in plaintext.
    static func refusal(_ address: ServerAddress) -> ClientError {
        .tokenNeedsTLS(
            "a token isn't sent to \(address) in plaintext, where others can read it: connect to "
                + "tls:HOST:PORT, to this machine, or to a Unix socket")
    }
}

extension ServerAddress {
    /// Checks that a token may be sent to a server here.
    ///
    /// - Throws: ``ClientError/tokenNeedsTLS(_:)``.
    package func requireTokenAllowed(at endpoints: [SocketAddress]) throws(ClientError) {
        if !TokenGuard.allows(self, at: endpoints) { throw TokenGuard.refusal(self) }
    }
}
