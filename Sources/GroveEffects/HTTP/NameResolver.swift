// With the static standard library, the system's socket types are seen through this one.
import CCurl

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Says which addresses a host's name has, in the order in which they are to be tried.
package typealias NameResolver = @Sendable (_ host: String) async throws -> [IPAddress]

/// The resolver of the system.
enum SystemResolver {
    /// A name that has no address, or none that can be had now: tried again later.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let lookups = NameLookups(lookUp: lookUp)

    /// The host's addresses by `getaddrinfo`, which takes as long as it likes. So it has
    /// threads of its own; who is cancelled doesn't wait for it.
    @Sendable
    static func addresses(of host: String) async throws -> [IPAddress] {
        try await lookups.addresses(of: host)
    }

    @Sendable
    private static func lookUp(_ host: String) throws -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else {
            throw Failure(description: "\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next {
            if let socket = entry.pointee.ai_addr, let address = IPAddress(socket),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }
}
