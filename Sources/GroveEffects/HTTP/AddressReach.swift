import GroveNetwork

/// The reach of an address, by IANA's registries of special-purpose addresses.
enum AddressReach: Hashable, Sendable {
    /// A host of the internet.
    case world
    /// This system or its own network: only where the operator allows it.
    case premises(String)
    /// Never allowed: no valid destination, or one that would evade the check.
    case nowhere(String)

    /// The reach of `address`.
    ///
    /// IPv6 addresses outside `2000::/3`, the assigned part, are never allowed. That includes all
    /// forms of IPv4 addresses in IPv6 (`::ffff:0:0/96`, `::/96`, `64:ff9b::/96`), which a
    /// translator would convert back.
    init(of address: IPAddress) {
        let ranges = address.isVersion6 ? Self.version6 : Self.version4
        if let range = ranges.first(where: { $0.contains(address) }) {
            self = range.reach
        } else if address.isVersion6, address.bytes[0] & 0xE0 != 0x20 {
            self = .nowhere("an address that isn't given out")
        } else {
            self = .world
        }
    }

    /// Addresses with the same prefix.
    private struct Range {
        let prefix: [UInt8]
        let bits: Int
        let reach: AddressReach

        init(_ prefix: [UInt8], _ bits: Int, _ reach: AddressReach) {
            self.prefix = prefix
            self.bits = bits
            self.reach = reach
        }

        /// Whether the first bits of both are the same; zeros follow a short prefix.
        func contains(_ address: IPAddress) -> Bool {
            for index in 0..<((bits + 7) / 8) {
                let mask = bits - index * 8 >= 8 ? 0xFF : ~(UInt8(0xFF) >> UInt8(bits % 8))
                let wanted = index < prefix.count ? prefix[index] : 0
                if address.bytes[index] & mask != wanted & mask { return false }
            }
            return true
        }
    }

    /// The first match counts.
    private static let version4 = [
        Range([0], 8, .nowhere("an address of \"this network\"")),
        Range([10], 8, .premises("a private address")),
        Range([100, 100, 100, 200], 32, .nowhere("a cloud's metadata service")),
        Range([100, 64], 10, .premises("an address shared behind a provider")),
        Range([127], 8, .premises("a loopback address")),
        // A public address, used by the host of each Azure machine.
        Range([168, 63, 129, 16], 32, .nowhere("a cloud's metadata service")),
        // With 169.254.169.254, where clouds publish credentials.
        Range([169, 254], 16, .nowhere("a link-local address")),
        Range([172, 16], 12, .premises("a private address")),
        Range([192, 0, 0], 24, .nowhere("a reserved address")),
        Range([192, 0, 2], 24, .nowhere("an address for documentation")),
        Range([192, 88, 99], 24, .nowhere("a reserved address")),
        Range([192, 168], 16, .premises("a private address")),
        Range([198, 18], 15, .premises("an address for benchmarks")),
        Range([198, 51, 100], 24, .nowhere("an address for documentation")),
        Range([203, 0, 113], 24, .nowhere("an address for documentation")),
        Range([224], 4, .nowhere("a multicast address")),
        // With 255.255.255.255, broadcast.
        Range([240], 4, .nowhere("a reserved address")),
    ]

    /// The first match counts.
    private static let version6 = [
        Range([], 128, .nowhere("the unspecified address")),
        Range(Array(repeating: 0, count: 15) + [1], 128, .premises("a loopback address")),
        Range([], 96, .nowhere("an address of version 4 written as one of version 6")),
        Range(
            Array(repeating: 0, count: 10) + [0xFF, 0xFF], 96,
            .nowhere("an address of version 4 written as one of version 6")),
        Range([0, 0x64, 0xFF, 0x9B], 32, .nowhere("an address of version 4 to be translated")),
        Range([0x20, 0x01], 23, .nowhere("a reserved address")),
        Range([0x20, 0x01, 0x0D, 0xB8], 32, .nowhere("an address for documentation")),
        Range([0x20, 0x02], 16, .nowhere("an address of version 4 to be tunnelled")),
        Range([0x3F, 0xFF], 20, .nowhere("an address for documentation")),
        // Google's cloud, and pods in Amazon's.
        Range(
            [0xFD, 0x20, 0, 0xCE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128,
            .nowhere("a cloud's metadata service")),
        Range(
            [0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x23], 128,
            .nowhere("a cloud's metadata service")),
        Range(
            [0xFD, 0, 0x0E, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54], 128,
            .nowhere("a cloud's metadata service")),
        Range([0xFC], 7, .premises("a private address")),
        Range([0xFE, 0x80], 10, .nowhere("a link-local address")),
        Range([0xFF], 8, .nowhere("a multicast address")),
    ]
}
