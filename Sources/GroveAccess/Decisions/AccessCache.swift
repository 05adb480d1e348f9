/// The last decisions about names, for one connection: those for which many grants were tried.
///
/// It forgets everything when it is asked with another table. Its memory begins with nothing, grows
/// with the names that the connection uses to at most ``AccessCache/entriesMax`` decisions, and is
/// given back by ``release()``. A remembered decision is found by a hash, at one of two places, and
/// then compared byte for byte: a collision costs a new decision and never a wrong one.
package struct AccessCache {
    /// A decision; its key stands in `keys`.
    private struct Entry {
        var hash: UInt64 = 0
        /// The bytes of its key; 0 for a free entry.
        var length: UInt8 = 0
        var isAllowed = false
    }

    private var entries: [Entry] = []
    /// The keys, with the same room for each entry.
    private var keys: [UInt8] = []
    /// The table that decided. It is held, so that no other one can have its address.
    private var table: GrantTable?
    /// Decisions that were found here, for measurements.
    private(set) var hits = 0

    /// A memory of nothing.
    package init() {}

    /// The decisions that it has room for now.
    var capacity: Int { entries.count }

    /// Gives the memory back, for connections that are idle.
    package mutating func release() { self = AccessCache() }

    /// As ``GrantTable/allows(_:_:_:eventType:)`` of the table, remembered.
    mutating func allows(
        _ verb: Verb, _ target: AccessTarget, eventType: UnsafeRawBufferPointer?,
        by table: GrantTable
    ) -> Bool {
        let quick = table.allowsQuickly(
            verb, target.machine, target.instance, eventType: eventType)
        if let quick { return quick }
        let key = AccessKey(verb, target, eventType)
        guard key.count <= Self.keyBytesMax else { return decide(key, by: table) }
        if self.table !== table { forget(for: table) }
        let hash = key.hash
        if let index = index(of: key, hash) {
            hits += 1
            return entries[index].isAllowed
        }
        let isAllowed = decide(key, by: table)
        remember(key, hash, isAllowed)
        return isAllowed
    }

    private func decide(_ key: AccessKey, by table: GrantTable) -> Bool {
        table.allows(
            key.verb, key.target.machine, key.target.instance, eventType: key.eventType)
    }

    private mutating func forget(for table: GrantTable) {
        self.table = table
        for index in entries.indices { entries[index].length = 0 }
    }

    // MARK: places

    /// The first place for a hash; the second one differs from it in the last bit.
    private func place(of hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash) & (entries.count - 1)
    }

    private func index(of key: AccessKey, _ hash: UInt64) -> Int? {
        guard !entries.isEmpty else { return nil }
        let first = place(of: hash)
        if holds(key, hash, at: first) { return first }
        return holds(key, hash, at: first ^ 1) ? first ^ 1 : nil
    }

    private func holds(_ key: AccessKey, _ hash: UInt64, at index: Int) -> Bool {
        guard entries[index].hash == hash, Int(entries[index].length) == key.count else {
            return false
        }
        return keys.withUnsafeBytes { keys in
            let start = index * Self.keyBytesMax
            return key.isWritten(in: UnsafeRawBufferPointer(rebasing: keys[start...]))
        }
    }

    private mutating func remember(_ key: AccessKey, _ hash: UInt64, _ isAllowed: Bool) {
        if entries.isEmpty { grow() }
        var index = freePlace(of: hash)
        // As long as there may be more entries, none is overwritten.
        while index == nil, entries.count < Self.entriesMax {
            grow()
            index = freePlace(of: hash)
        }
        // Of two, the one that was remembered first goes.
        let first = place(of: hash)
        if index == nil { move(first, to: first ^ 1) }
        write(
            key, Entry(hash: hash, length: UInt8(key.count), isAllowed: isAllowed), index ?? first)
    }

    private func freePlace(of hash: UInt64) -> Int? {
        let first = place(of: hash)
        if entries[first].length == 0 { return first }
        return entries[first ^ 1].length == 0 ? first ^ 1 : nil
    }

    private mutating func write(_ key: AccessKey, _ entry: Entry, _ index: Int) {
        entries[index] = entry
        keys.withUnsafeMutableBytes { keys in
            let start = index * Self.keyBytesMax
            key.write(to: UnsafeMutableRawBufferPointer(rebasing: keys[start...]))
        }
    }

    private mutating func move(_ index: Int, to other: Int) {
        entries[other] = entries[index]
        keys.withUnsafeMutableBytes { keys in
            let from = index * Self.keyBytesMax
            let to = other * Self.keyBytesMax
            for place in 0..<Self.keyBytesMax { keys[to + place] = keys[from + place] }
        }
    }

    /// Doubles the entries. The two of one hash still have room: one more bit of it counts.
    private mutating func grow() {
        let former = entries
        let formerKeys = keys
        let count = former.isEmpty ? 4 : 2 * former.count
        entries = Array(repeating: Entry(), count: count)
        keys = Array(repeating: 0, count: count * Self.keyBytesMax)
        for (index, entry) in former.enumerated() where entry.length > 0 {
            guard let target = freePlace(of: entry.hash) else {
                preconditionFailure("a pair of places gets entries of one former pair only")
            }
            entries[target] = entry
            let from = index * Self.keyBytesMax
            let to = target * Self.keyBytesMax
            let length = Int(entry.length)
            keys.replaceSubrange(to..<to + length, with: formerKeys[from..<from + length])
        }
    }
}
