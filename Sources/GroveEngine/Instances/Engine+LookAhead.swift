import CPrefetch

// An event to one of many instances needs a dozen pieces of memory that are in no near cache, and
// each leads to the next: waiting for them took a quarter of the engine's time. The requests of a
// burst are known, so their memory is asked for while earlier ones are applied
// (docs/decisions/0079-memory-is-loaded-ahead.md).

extension Engine {
    /// Asks for what the next requests of a burst need, each for its next step: nobody waits for
    /// it, and a request takes longer than its arrival. Changes nothing, and what it guesses wrong
    /// costs a little time.
    ///
    /// - Parameters:
    ///   - next: The index of the next request; from -2 on, before the first one.
    ///   - count: The number of requests in `burst`.
    func lookAhead(from next: Int, in burst: UnsafePointer<Request>, count: Int) {
        if let ahead = Self.ahead(next, in: burst, count) {
            instances.prefetchContents(ahead.hash)
            grove_prefetch(UnsafeRawPointer(bitPattern: ahead.text))
        }
        if let ahead = Self.ahead(next + 1, in: burst, count) {
            instances.prefetchResident(ahead.hash)
        }
        if let ahead = Self.ahead(next + 2, in: burst, count) {
            instances.prefetchEntry(ahead.hash)
            grove_prefetch_all(UnsafeRawPointer(bitPattern: ahead.object), Request.Ahead.bytes)
        }
    }

    private static func ahead(
        _ index: Int, in burst: UnsafePointer<Request>, _ count: Int
    ) -> Request.Ahead? {
        index >= 0 && index < count ? burst[index].ahead : nil
    }

    /// Asks for what the first requests of a burst need, before any is applied.
    func lookAhead(beforeFirstIn burst: UnsafePointer<Request>, count: Int) {
        for next in -2...0 { lookAhead(from: next, in: burst, count: count) }
    }

    /// Asks for what the next reports of handlers need, each for its next step.
    ///
    /// - Parameter next: The index of the next report; from -2 on, before the first one.
    func lookAhead(from next: Int, in reports: [EffectReport]) {
        func hash(_ index: Int) -> Int? {
            reports.indices.contains(index) ? reports[index].owner.hash : nil
        }
        if let hash = hash(next) { instances.prefetchContents(hash) }
        if let hash = hash(next + 1) { instances.prefetchResident(hash) }
        if let hash = hash(next + 2) { instances.prefetchEntry(hash) }
    }

    /// Asks for an instance that a loop over changed ones comes to soon.
    func lookAhead(from index: Int, over places: [InstanceTable.Place], withContents: Bool) {
        if index + 8 < places.count { instances.residents.prefetch(places[index + 8]) }
        if withContents, index + 4 < places.count {
            instances.residents.prefetchContents(places[index + 4])
        }
    }
}
