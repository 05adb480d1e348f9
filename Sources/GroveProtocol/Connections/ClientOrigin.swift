import GroveAccess

/// What the transport says of a client before it has said anything itself.
public struct ClientOrigin: Sendable {
    /// Its address, for the audit and the log; `unix` for a Unix socket.
    package var address: String
    /// Whether it is on this machine: loopback, or a Unix socket.
    package var isLocal: Bool
    /// Whether it is the user that runs the server, or root, on a Unix socket.
    package var isOwner: Bool
    /// The names of its verified certificate, or its user and group, in the order in which they
    /// are looked up: the first one that a principal has decides.
    package var identities: [Identity]
    /// Whether it must show a token also while no principal exists: its address lets more users of
    /// this machine in than those of lines.
    package var wantsToken = false

    package init(
        address: String = "", isLocal: Bool = false, isOwner: Bool = false,
        identities: [Identity] = []
    ) {
        self.address = address
        self.isLocal = isLocal
        self.isOwner = isOwner
        self.identities = identities
    }

    /// Somebody of whom nothing is known.
    public static let unknown = ClientOrigin()
}
