// With the static standard library, the system's socket types are seen through this one.
import CCurl

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An address of the internet protocol, as its bytes: two are equal if they are the same place,
/// however they were written.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes, or sixteen, most significant first.
    package let bytes: [UInt8]

    /// Whether it is one of version 6.
    package var isVersion6: Bool { bytes.count == 16 }

    /// An address of version 4.
    package init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        bytes = [first, second, third, fourth]
    }

    /// Reads an address in its one standard form; `nil` for anything else.
    ///
    /// Version 4 is four decimal numbers without leading zeros. The many other spellings that the
    /// system's functions take, `127.1`, `0x7f.1` or `2130706433`, are no addresses here: they
    /// are what people write to get past a check. Version 6 is as in RFC 4291, without a zone.
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

    /// The address of a socket address; `nil` for another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            var address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            bytes = withUnsafeBytes(of: &address) { Array($0) }
        case AF_INET6:
            var address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            bytes = withUnsafeBytes(of: &address) { Array($0) }
        default: return nil
        }
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

    /// The standard form: `127.0.0.1`, `2001:db8::1`.
    package var description: String {
        if !isVersion6 { return bytes.map(String.init).joined(separator: ".") }
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        _ = inet_ntop(AF_INET6, bytes, &buffer, socklen_t(buffer.count))
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
