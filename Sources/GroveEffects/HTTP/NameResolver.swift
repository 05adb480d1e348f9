import GroveNetwork

/// Finds the addresses of a host's name, in the order in which they are to be tried.
package typealias NameResolver = @Sendable (_ host: String) async throws -> [IPAddress]

/// The resolver of the system.
enum SystemResolver {
    private static let lookups = NameLookups(lookUp: lookUp)

    /// The host's addresses. The system's lookup may block for long, so it has threads of its own;
    /// a task that is cancelled doesn't wait for it.
    @Sendable
    static func addresses(of host: String) async throws -> [IPAddress] {
        try await lookups.addresses(of: host)
    }

    @Sendable
    private static func lookUp(_ host: String) throws -> [IPAddress] {
        var addresses: [IPAddress] = []
        for found in try HostLookup.addresses(of: host) {
            if let ip = found.ip, !addresses.contains(ip) { addresses.append(ip) }
        }
        return addresses
    }
}
