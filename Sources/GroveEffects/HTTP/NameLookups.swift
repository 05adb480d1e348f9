import Dispatch
import GroveNetwork

/// Looks names up on a few threads, for many who ask.
///
/// A look-up may take as long as a name server that doesn't answer lets it, and can't be ended. So
/// each name holds one thread at most: whoever asks for it meanwhile gets the same answer. And
/// a name that nobody waits for any more is never begun.
actor NameLookups {
    /// Names that are looked up at once.
    static let threadsMax = 8
    /// Names that wait for a thread; more are refused.
    static let waitingMax = 256

    private struct Lookup {
        var waiters: [UInt64: CheckedContinuation<[IPAddress], any Error>] = [:]
        var isUnderWay = false
    }

    private let lookUp: @Sendable (String) throws -> [IPAddress]
    private var lookups: [String: Lookup] = [:]
    /// Names that wait for a thread, in the order in which they came.
    private var waiting: [String] = []
    /// Queues that have nothing to do; each has a thread of its own while it has.
    private var free: [DispatchQueue]
    private var asked: UInt64 = 0

    /// - Parameter lookUp: Looks a name up, and blocks its thread meanwhile.
    init(lookUp: @escaping @Sendable (String) throws -> [IPAddress]) {
        self.lookUp = lookUp
        free = (1...Self.threadsMax).map { DispatchQueue(label: "grove.names.\($0)") }
    }

    /// The addresses of a host.
    ///
    /// - Throws: `CancellationError`, `HTTPFailure` when too many names wait already, and what the
    ///   look-up throws.
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
            Task { await self.leave(host, number) }
        }
    }

    /// How many names are looked up or wait for it.
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

    /// Somebody doesn't wait any more. What is under way goes on, for nobody if need be.
    private func leave(_ host: String, _ number: UInt64) {
        guard let waiter = lookups[host]?.waiters.removeValue(forKey: number) else { return }
        waiter.resume(throwing: CancellationError())
        guard let lookup = lookups[host], lookup.waiters.isEmpty, !lookup.isUnderWay else { return }
        lookups[host] = nil
        waiting.removeAll { $0 == host }
    }
}
