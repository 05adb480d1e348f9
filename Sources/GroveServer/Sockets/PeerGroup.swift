import GroveNetwork

/// Clients whose connections are counted together: an IPv4 address, or the first half of an IPv6
/// address, which one network gets. All of `127.0.0.0/8` is one group: a program on this machine
/// can choose any of these addresses.
struct PeerGroup: Hashable, Sendable, CustomStringConvertible {
    private let isV6: Bool
    private let prefix: UInt64

    /// The group of an address; `nil` for Unix sockets, whose clients have no address.
    init?(_ address: SocketAddress) {
        guard let ip = address.ip else { return nil }
        let counted = ip.mapped ?? ip
        self.init(isV6: counted.isVersion6, counted.bytes.prefix(8))
    }

    /// Whether it is this machine: `127.0.0.0/8`, or `::1`, whose first half no other machine has.
    var isLoopback: Bool {
        isV6 ? prefix == 0 : prefix >> 24 == 127
    }

    private init(isV6: Bool, _ bytes: some Sequence<UInt8>) {
        self.isV6 = isV6
        let prefix = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        self.prefix = !isV6 && prefix >> 24 == 127 ? 127 << 24 | 1 : prefix
    }

    /// The address; of IPv6 the network, as `2001:db8:0:1::/64`.
    var description: String {
        func part(_ shift: Int, _ mask: UInt64, radix: Int) -> String {
            String(prefix >> UInt64(shift) & mask, radix: radix)
        }
        guard isV6 else {
            return [24, 16, 8, 0].map { part($0, 0xFF, radix: 10) }.joined(separator: ".")
        }
        return [48, 32, 16, 0].map { part($0, 0xFFFF, radix: 16) }.joined(separator: ":") + "::/64"
    }
}
