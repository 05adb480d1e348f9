/// The part of a client's address that counts as one client: all of IPv4, and of IPv6 the first 64
/// bits, because everybody has at least that many addresses.
package struct AddressKey: Hashable, Sendable {
    private let bits: UInt64
    private let isShort: Bool

    /// The key of an address.
    ///
    /// - Parameter bytes: 4 bytes of IPv4 or 16 of IPv6, in the order of the network. An IPv4
    ///   address inside IPv6 (`::ffff:192.0.2.1`) counts as IPv4.
    /// - Returns: `nil` for another number of bytes, as of a Unix socket.
    package init?(_ bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        switch bytes.count {
        case 4: (bits, isShort) = (Self.number(bytes[...]), true)
        case 16 where bytes.starts(with: mapped):
            (bits, isShort) = (Self.number(bytes[12...]), true)
        case 16: (bits, isShort) = (Self.number(bytes[..<8]), false)
        default: return nil
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
