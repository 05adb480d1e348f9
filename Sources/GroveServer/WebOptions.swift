public import GroveNetwork

/// The options of HTTP and the console (docs/reference/http.md).
public struct WebOptions: Sendable {
    /// An address for HTTP.
    public struct Address: Sendable, Equatable {
        /// Where to listen.
        public var address: SocketAddress
        /// Whether connections begin with TLS.
        public var isEncrypted: Bool
        /// Whether only requests that read are carried out.
        public var isReadOnly: Bool
        /// Whether clients must show a token also while no principal exists.
        var wantsToken = false
        /// Whether it is the standard address, which nobody has named.
        var isStandard = false

        /// An address in plaintext for all requests, unless told otherwise.
        public init(_ address: SocketAddress, isEncrypted: Bool = false, isReadOnly: Bool = false) {
            self.address = address
            self.isEncrypted = isEncrypted
            self.isReadOnly = isReadOnly
        }
    }

    /// The addresses to listen on; none by default.
    public var addresses: [Address] = []

    /// Whether it listens on ``standardAddress`` besides, if lines are spoken only on this machine
    /// and the port is free. Where lines aren't for all users of the machine, clients must show a
    /// token there.
    public var isAutomatic = false

    /// Names by which browsers may call the server, besides `localhost` and addresses.
    public var hosts: [String] = []

    /// Origins of other pages that may use the API, such as `https://shop.example`.
    public var origins: [String] = []

    /// Whether the console is there.
    public var hasConsole = true

    /// Time between two requests of a connection after which it is closed, in milliseconds.
    public var idleMilliseconds: Int64 = 60_000

    /// The defaults: no HTTP.
    public init() {}

    /// The address of HTTP unless another one is configured.
    static let standardAddress = SocketAddress.loopbackV4(port: 7_480)

    /// The addresses to listen on.
    ///
    /// - Parameter lines: How far lines reach.
    func wanted(beside lines: LinesReach) -> [Address] {
        guard isAutomatic, lines != .otherMachines,
            !addresses.contains(where: { $0.address == Self.standardAddress })
        else { return addresses }
        var standard = Address(Self.standardAddress)
        standard.wantsToken = lines == .someUsers
        standard.isStandard = true
        return addresses + [standard]
    }
}
