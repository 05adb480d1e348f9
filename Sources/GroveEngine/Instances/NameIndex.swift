/// Where the instance of a name is, by the hash that the name brings along.
///
/// Open addressing in one array of eight bytes a place, at most half full: a search touches one
/// line of it, then the instance itself, whose name decides.
struct NameIndex {
    private struct Slot {
        /// The upper half of the name's hash.
        var tag: UInt32
        /// The instance's place; `NameIndex.free` where there is none.
        var place: Int32
    }

    private static let free: Int32 = -1

    private var slots: [Slot] = Array(repeating: Slot(tag: 0, place: free), count: 64)
    private var count = 0

    private var mask: Int { slots.count - 1 }

    private static func tag(_ hash: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: UInt(bitPattern: hash) >> 32)
    }

    /// The place under this hash that `isMeant` accepts.
    func find(_ hash: Int, where isMeant: (Int) -> Bool) -> Int? {
        guard let slot = slot(hash, where: isMeant) else { return nil }
        return Int(slots[slot].place)
    }

    private func slot(_ hash: Int, where isMeant: (Int) -> Bool) -> Int? {
        let tag = Self.tag(hash)
        var slot = hash & mask
        while slots[slot].place != Self.free {
            if slots[slot].tag == tag, isMeant(Int(slots[slot].place)) { return slot }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds an instance.
    ///
    /// - Parameters:
    ///   - place: Its place.
    ///   - hash: The hash of its name.
    ///   - hashAt: The hash of the name at a place, for when everything has to move.
    mutating func insert(_ place: Int, hash: Int, hashAt: (Int) -> Int) {
        if 2 * (count + 1) > slots.count { grow(hashAt) }
        put(place, hash)
        count += 1
    }

    private mutating func put(_ place: Int, _ hash: Int) {
        var slot = hash & mask
        while slots[slot].place != Self.free { slot = (slot + 1) & mask }
        slots[slot] = Slot(tag: Self.tag(hash), place: Int32(place))
    }

    private mutating func grow(_ hashAt: (Int) -> Int) {
        let old = slots
        slots = Array(repeating: Slot(tag: 0, place: Self.free), count: old.count * 2)
        for slot in old where slot.place != Self.free {
            put(Int(slot.place), hashAt(Int(slot.place)))
        }
    }

    /// Gives the instance at one place another one.
    mutating func move(_ hash: Int, from place: Int, to other: Int) {
        guard let slot = slot(hash, where: { $0 == place }) else {
            preconditionFailure("an instance in memory is in its index")
        }
        slots[slot].place = Int32(other)
    }

    /// Removes the instance at a place, and closes the gap: what stands behind it and belongs
    /// before it moves up.
    mutating func remove(_ place: Int, hash: Int, hashAt: (Int) -> Int) {
        guard var gap = slot(hash, where: { $0 == place }) else {
            preconditionFailure("an instance in memory is in its index")
        }
        var next = (gap + 1) & mask
        while slots[next].place != Self.free {
            let home = hashAt(Int(slots[next].place)) & mask
            // Whether the gap lies between where it belongs and where it is, going round.
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
