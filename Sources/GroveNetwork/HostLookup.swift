#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Looks up the addresses of names.
package enum HostLookup {
    /// A name without an address, or a failed lookup.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        /// The name, and the system's words for the failure.
        package let description: String
    }

    /// Returns the addresses of a host by `getaddrinfo`, in the order to try them. Blocks during
    /// the lookup.
    ///
    /// - Parameters:
    ///   - host: A name, or an address.
    ///   - port: The port of the addresses.
    package static func addresses(
        of host: String, port: UInt16 = 0
    ) throws(Failure) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else {
            throw Failure(description: "\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next {
            if let system = entry.pointee.ai_addr,
                var address = SocketAddress(systemAddress: system)
            {
                address.port = port
                addresses.append(address)
            }
            next = entry.pointee.ai_next
        }
        return addresses
    }
}
