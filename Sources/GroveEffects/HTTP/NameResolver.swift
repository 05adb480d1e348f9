import NIOPosix

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

    /// Threads that look names up, so that one name server that doesn't answer holds up few others.
    static let threadsMax = 8

    private static let threads: NIOThreadPool = {
        let threads = NIOThreadPool(numberOfThreads: threadsMax)
        threads.start()
        return threads
    }()

    /// The host's addresses by `getaddrinfo`, which takes as long as it likes. So it has
    /// threads of its own; who is cancelled doesn't wait for it.
    @Sendable
    static func addresses(of host: String) async throws -> [IPAddress] {
        let (results, continuation) = AsyncThrowingStream<[IPAddress], any Error>.makeStream()
        threads.submit { state in
            guard case .active = state else {
                return continuation.finish(throwing: CancellationError())
            }
            do {
                continuation.yield(try lookUp(host))
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        for try await addresses in results { return addresses }
        throw CancellationError()
    }

    private static func lookUp(_ host: String) throws(Failure) -> [IPAddress] {
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
