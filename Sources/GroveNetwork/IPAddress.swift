#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An address of the internet protocol, as its bytes: different texts of the same address are
/// equal.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes, or sixteen, most significant first.
    package let bytes: [UInt8]

    /// Whether it is one of version 6.
    package var isVersion6: Bool { bytes.count == 16 }

    /// An address of four or sixteen bytes.
    init(bytes: [UInt8]) { self.bytes = bytes }

    /// An address of version 4.
    package init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        bytes = [first, second, third, fourth]
    }

    /// Reads an address in its one standard form; `nil` for anything else.
    ///
    /// Version 4 is four decimal numbers without leading zeros. The many other spellings that the
    /// system's functions accept, `127.1`, `0x7f.1` or `2130706433`, are refused: attackers use
    /// them to bypass checks. Version 6 is as in RFC 4291, without a zone.
    package init?(_ text: some StringProtocol) {
        if let bytes = IPAddress.dottedQuad(text) {
            self.bytes = bytes
            return
        }
        guard text.utf8.contains(UInt8(ascii: ":")) else { return nil }
        var address = in6_addr()
        guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
        bytes = withUnsafeBytes(of: &address) { Array($0) }
    }

    /// The address of a `sockaddr`; `nil` for another family.
    ///
    /// A raw pointer, because a target that imports a C library may see the system's types as
    /// that library's.
    package init?(systemAddress: UnsafeRawPointer) {
        guard let address = SocketAddress(systemAddress: systemAddress)?.ip else { return nil }
        self = address
    }

    private static func dottedQuad(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard part.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                part.count == 1 || part.first != UInt8(ascii: "0"),
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The address of version 4 in an IPv4-mapped address of version 6.
    package var mapped: IPAddress? {
        isVersion6 && bytes.starts(with: Self.mappedPrefix)
            ? IPAddress(bytes: Array(bytes[12...])) : nil
    }

    /// Whether only this machine can reach it: 127.0.0.0/8, IPv4-mapped addresses of it, and ::1.
    package var isLoopback: Bool {
        guard isVersion6 else { return bytes[0] == 127 }
        return mapped?.isLoopback ?? (bytes.last == 1 && bytes.dropLast().allSatisfy { $0 == 0 })
    }

    /// The standard form: `127.0.0.1`, `2001:db8::1`.
    package var description: String {
        if !isVersion6 { return bytes.map(String.init).joined(separator: ".") }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count))
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
