/// Whose connections are counted together: an IPv4 address, or the first half of an IPv6 address,
/// which is what one network gets.
struct PeerGroup: Hashable, Sendable {
    private let isV6: Bool
    private let prefix: UInt64

    /// The group of an address; `nil` for Unix sockets, whose clients have none.
    init?(_ address: SocketAddress) {
        switch address.host {
        case .v4(let bytes): self.init(isV6: false, bytes)
        case .v6(let bytes):
            if let mapped = SocketAddress.mappedV4(bytes) {
                self.init(isV6: false, mapped)
            } else {
                self.init(isV6: true, bytes.prefix(8))
            }
        case .unix: return nil
        }
    }

    private init(isV6: Bool, _ bytes: some Sequence<UInt8>) {
        self.isV6 = isV6
        prefix = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
