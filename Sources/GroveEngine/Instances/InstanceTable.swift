import Transducers

/// The instances in memory, by name. Bounded in number and in bytes: past either, instances that
/// were not used since the hand's last round are dropped (second chance); dirty ones never are.
struct InstanceTable {
    /// Where an instance is in ``residents``; holds until the next removal.
    typealias Place = Int

    /// All instances in memory, side by side and without holes.
    var residents: [Resident] = []

    private var index = NameIndex()
    private var hand = 0

    var count: Int { residents.count }

    /// Bytes of the states and effects of all, each as of when it was weighed last.
    private(set) var bytes = 0

    /// The place of the instance of this name, if it is in memory.
    func place(of name: InstanceName) -> Place? {
        index.find(name.hash) { residents[$0].stored.name == name }
    }

    mutating func insert(_ resident: Resident) -> Place {
        precondition(place(of: resident.stored.name) == nil, "an instance is in memory once")
        let place = residents.count
        residents.append(resident)
        index.insert(place, hash: hash(at: place)) { residents[$0].stored.name.hash }
        residents[place].countedBytes = 0
        weigh(place)
        return place
    }

    /// Counts an instance as large as it is now: after its state or its effects have changed.
    mutating func weigh(_ place: Place) {
        let now = residents[place].bytes
        bytes += now - residents[place].countedBytes
        residents[place].countedBytes = now
    }

    /// Removes an instance; the last one takes its place.
    mutating func remove(at place: Place) {
        bytes -= residents[place].countedBytes
        index.remove(place, hash: hash(at: place)) { residents[$0].stored.name.hash }
        let end = residents.count - 1
        if place < end { index.move(hash(at: end), from: end, to: place) }
        let last = residents.removeLast()
        if place < end { residents[place] = last }
    }

    private func hash(at place: Place) -> Int { residents[place].stored.name.hash }

    /// Drops idle instances until at most so many are left, and so many bytes, if there are enough
    /// idle ones for that. For the sake of bytes none goes that is smaller than the average, and
    /// no more than some are looked at in one call: many small ones may stand beside few large.
    mutating func shrink(to countMax: Int, bytes bytesMax: Int) {
        var looks = 2 * residents.count
        while count > countMax, looks > 0 {
            looks -= 1
            lookAtNext()
        }
        looks = min(looks, Self.looksForBytes)
        while bytes > bytesMax, looks > 0 {
            looks -= 1
            let average = bytes / count
            lookAtNext { $0.countedBytes >= average }
        }
    }

    private static let looksForBytes = 16_384

    /// Moves the hand over one instance: it goes if it is idle and may go, and has its second
    /// chance if not.
    private mutating func lookAtNext(where mayGo: (Resident) -> Bool = { _ in true }) {
        if hand >= residents.count { hand = 0 }
        if residents[hand].isDirty || residents[hand].wasUsed || !mayGo(residents[hand]) {
            residents[hand].wasUsed = false
            hand += 1
        } else {
            // The last one takes the place, so the hand stays.
            remove(at: hand)
        }
    }
}
