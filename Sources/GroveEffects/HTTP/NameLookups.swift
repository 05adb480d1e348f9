import Dispatch
import GroveNetwork

/// Finds the addresses of a host's name, in the order in which to try them.
package typealias NameResolver = @Sendable (_ host: String) async throws -> [IPAddress]

/// Looks names up on a few threads.
///
/// A lookup may take as long as an unresponsive name server, and can't be canceled. So a name uses
/// at most one thread, and all requests for it get the same answer. A name without requests left
/// is never looked up.
actor NameLookups {
    private static let system = NameLookups { host in
        var addresses: [IPAddress] = []
        for found in try HostLookup.addresses(of: host) {
            if let ip = found.ip, !addresses.contains(ip) { addresses.append(ip) }
        }
        return addresses
    }

    /// The addresses of a host by the system's resolver. Its lookup may block for long, so it has
    /// its own threads; a canceled task doesn't wait for it.
    @Sendable
    static func systemAddresses(of host: String) async throws -> [IPAddress] {
        try await system.addresses(of: host)
    }

    private struct Lookup {
        var waiters: [UInt64: CheckedContinuation<[IPAddress], any Error>] = [:]
        var isUnderWay = false
    }

    private let lookUp: @Sendable (String) throws -> [IPAddress]
    private var lookups: [String: Lookup] = [:]
    /// Names that wait for a thread, in the order of the requests.
    private var waiting: [String] = []
    /// Idle queues. A queue has its own thread while it works.
    private var free: [DispatchQueue]
    private var asked: UInt64 = 0

    /// - Parameter lookUp: Looks a name up; may block its thread.
    init(lookUp: @escaping @Sendable (String) throws -> [IPAddress]) {
        self.lookUp = lookUp
        free = (1...Self.threadsMax).map { DispatchQueue(label: "grove.names.\($0)") }
    }

    /// The addresses of a host.
    ///
    /// - Throws: `CancellationError`, `HTTPFailure` if too many names wait, and the errors of the
    ///   lookup.
    func addresses(of host: String) async throws -> [IPAddress] {
        try Task.checkCancellation()
        guard lookups[host] != nil || waiting.count < Self.waitingMax else {
            throw HTTPFailure("\(host) can't be looked up: too many names wait for that")
        }
        asked += 1
        let number = asked
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if lookups[host] == nil {
                    lookups[host] = Lookup()
                    waiting.append(host)
                }
                lookups[host]?.waiters[number] = continuation
                begin()
            }
        } onCancel: {
            Task { await self.cancel(host, number) }
        }
    }

    var count: Int { lookups.count }

    private func begin() {
        while let queue = free.last, !waiting.isEmpty {
            let host = waiting.removeFirst()
            free.removeLast()
            lookups[host]?.isUnderWay = true
            let lookUp = lookUp
            queue.async {
                let result = Result { try lookUp(host) }
                Task { await self.end(host, result, queue) }
            }
        }
    }

    private func end(
        _ host: String, _ result: Result<[IPAddress], any Error>, _ queue: DispatchQueue
    ) {
        free.append(queue)
        let waiters = lookups.removeValue(forKey: host)?.waiters ?? [:]
        for waiter in waiters.values { waiter.resume(with: result) }
        begin()
    }

    /// Removes a canceled request. A lookup that runs continues.
    private func cancel(_ host: String, _ number: UInt64) {
        guard let waiter = lookups[host]?.waiters.removeValue(forKey: number) else { return }
        waiter.resume(throwing: CancellationError())
        guard let lookup = lookups[host], lookup.waiters.isEmpty, !lookup.isUnderWay else { return }
        lookups[host] = nil
        waiting.removeAll { $0 == host }
    }
}
