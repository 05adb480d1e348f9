import CPrefetch

/// Finds an instance's index by the hash of its name.
///
/// Open addressing in one array with eight bytes per entry, at most half full: a search touches one
/// cache line of it, and then the instance, whose name decides. No other operation touches
/// instances, which would cost a cache miss for each.
struct NameIndex {
    private struct Slot {
        /// The lower half of the hash. Its end is the index of the slot where a search begins.
        var tag: UInt32
        /// The instance's index, or `NameIndex.free`.
        var place: Int32
    }

    private static let free: Int32 = -1

    private var slots: [Slot] = Array(repeating: Slot(tag: 0, place: free), count: 64)
    private var count = 0

    private var mask: Int { slots.count - 1 }

    private static func tag(_ hash: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: hash)
    }

    /// The index with this hash that `matches` accepts.
    func find(_ hash: Int, where matches: (Int) -> Bool) -> Int? {
        guard let slot = slot(hash, where: matches) else { return nil }
        return Int(slots[slot].place)
    }

    private func slot(_ hash: Int, where matches: (Int) -> Bool) -> Int? {
        let tag = Self.tag(hash)
        var slot = Int(tag) & mask
        while slots[slot].place != Self.free {
            if slots[slot].tag == tag, matches(Int(slots[slot].place)) { return slot }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Asks for the memory where a search for a hash begins, without waiting for it.
    func prefetch(_ hash: Int) {
        slots.withUnsafeBufferPointer { slots in
            guard let first = slots.baseAddress else { return }
            grove_prefetch(first + (Int(Self.tag(hash)) & mask))
        }
    }

    /// The index at which a search for a hash looks first; `nil` if it looks at none.
    func firstCandidate(_ hash: Int) -> Int? { find(hash) { _ in true } }

    /// Adds an instance.
    ///
    /// - Parameters:
    ///   - place: Its index.
    ///   - hash: The hash of its name.
    mutating func insert(_ place: Int, hash: Int) {
        if 2 * (count + 1) > slots.count { grow() }
        put(Slot(tag: Self.tag(hash), place: Int32(place)))
        count += 1
    }

    private mutating func put(_ entry: Slot) {
        var slot = Int(entry.tag) & mask
        while slots[slot].place != Self.free { slot = (slot + 1) & mask }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(tag: 0, place: Self.free), count: old.count * 2)
        for entry in old where entry.place != Self.free { put(entry) }
    }

    /// Changes the index of an instance.
    mutating func move(_ hash: Int, from place: Int, to other: Int) {
        guard let slot = slot(hash, where: { $0 == place }) else {
            preconditionFailure("an instance in memory is in its index")
        }
        slots[slot].place = Int32(other)
    }

    /// Removes an instance, and closes the gap: later entries of the same probe sequence move up.
    mutating func remove(_ place: Int, hash: Int) {
        guard var gap = slot(hash, where: { $0 == place }) else {
            preconditionFailure("an instance in memory is in its index")
        }
        var next = (gap + 1) & mask
        while slots[next].place != Self.free {
            let home = Int(slots[next].tag) & mask
            // Whether the gap is between the entry's home and its slot, with wraparound.
            if (next &- home) & mask >= (next &- gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        slots[gap].place = Self.free
        count -= 1
    }
}
