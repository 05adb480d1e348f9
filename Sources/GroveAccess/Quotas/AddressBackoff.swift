/// Counts failed tries to authenticate, by address: ten, and then ten a minute. Its owner decides
/// which addresses count as one.
///
/// It never counts by principal or token, so nobody can lock out somebody else. It remembers
/// ``BackoffLimits/addressesMax`` addresses; the one whose last failure is the longest ago makes
/// room for a new one.
package struct AddressBackoff<Address: Hashable & Sendable>: Sendable {
    /// One address, in a list from the least to the most recent failure.
    private struct Entry: Sendable {
        var address: Address
        var bucket: TokenBucket
        var older = -1
        var newer = -1
    }

    private let entriesMax: Int
    private let rate: TokenBucket.Rate
    private var indices: [Address: Int] = [:]
    private var entries: [Entry] = []
    private var oldest = -1
    private var newest = -1

    /// A table without failures.
    package init() { self.init(entriesMax: BackoffLimits.addressesMax, rate: BackoffLimits.rate) }

    /// A table with bounds of its own.
    init(entriesMax: Int, rate: TokenBucket.Rate) {
        precondition(entriesMax > 0, "a table has room for at least one address")
        self.entriesMax = entriesMax
        self.rate = rate
    }

    /// The remembered addresses.
    package var count: Int { entries.count }

    /// Whether the address has failed so often that its connections are closed at once. It is asked
    /// for each connection, changes nothing and remembers nothing.
    package func isSpent(_ address: Address, at milliseconds: Int64) -> Bool {
        guard let index = indices[address] else { return false }
        return !entries[index].bucket.hasUnit(at: milliseconds)
    }

    /// Counts a failed try. Those of connections that were open already count too, down to zero.
    package mutating func recordFailure(of address: Address, at milliseconds: Int64) {
        let index = indices[address] ?? insert(address, at: milliseconds)
        // An empty bucket stays empty: the wait of those who fail on doesn't grow.
        _ = entries[index].bucket.take(at: milliseconds)
        moveToEnd(index)
    }

    // MARK: the list

    private mutating func insert(_ address: Address, at milliseconds: Int64) -> Int {
        let entry = Entry(address: address, bucket: TokenBucket(rate, at: milliseconds))
        let index: Int
        if entries.count < entriesMax {
            index = entries.count
            entries.append(entry)
        } else {
            index = oldest
            indices[entries[index].address] = nil
            unlink(index)
            entries[index] = entry
        }
        indices[address] = index
        link(index)
        return index
    }

    private mutating func moveToEnd(_ index: Int) {
        guard index != newest else { return }
        unlink(index)
        link(index)
    }

    private mutating func unlink(_ index: Int) {
        let (older, newer) = (entries[index].older, entries[index].newer)
        if older >= 0 { entries[older].newer = newer } else { oldest = newer }
        if newer >= 0 { entries[newer].older = older } else { newest = older }
    }

    private mutating func link(_ index: Int) {
        entries[index].older = newest
        entries[index].newer = -1
        if newest >= 0 { entries[newest].newer = index } else { oldest = index }
        newest = index
    }
}
