import Transducers

/// The instances in memory, by name. Bounded in number and in bytes: above either bound, instances
/// not used during the hand's last round are dropped (second chance), but never dirty ones.
struct InstanceTable: ~Copyable {
    /// An index in ``residents``; valid until the next removal.
    typealias Place = Int

    var residents = ResidentList()

    private var index = NameIndex()
    private var hand = 0

    var count: Int { residents.count }

    /// Bytes of all states and effects, as of their last ``weigh(_:)``.
    private(set) var bytes = 0

    func place(of name: InstanceName) -> Place? {
        index.find(name.hash) { residents[$0].stored.name == name }
    }

    /// Asks for the entry of a name in the index: the first step towards an instance.
    func prefetchEntry(_ hash: Int) { index.prefetch(hash) }

    /// Asks for the instance that ``place(of:)`` looks at first: the second step.
    func prefetchResident(_ hash: Int) {
        if let place = index.firstCandidate(hash) { residents.prefetch(place) }
    }

    /// Asks for what that instance points to: the third step.
    func prefetchContents(_ hash: Int) {
        if let place = index.firstCandidate(hash) { residents.prefetchContents(place) }
    }

    mutating func insert(_ resident: Resident) -> Place {
        precondition(place(of: resident.stored.name) == nil, "an instance is in memory once")
        let place = residents.count
        residents.append(resident)
        index.insert(place, hash: hash(at: place))
        residents[place].countedBytes = 0
        weigh(place)
        return place
    }

    /// Updates ``bytes`` after a change of an instance's state or effects.
    mutating func weigh(_ place: Place) {
        let now = residents[place].bytes
        bytes += now - residents[place].countedBytes
        residents[place].countedBytes = now
    }

    mutating func remove(at place: Place) {
        bytes -= residents[place].countedBytes
        index.remove(place, hash: hash(at: place))
        let end = residents.count - 1
        if place < end { index.move(hash(at: end), from: end, to: place) }
        let last = residents.removeLast()
        if place < end { residents[place] = last }
    }

    private func hash(at place: Place) -> Int { residents[place].stored.name.hash }

    /// Drops idle instances down to the bounds, if enough are idle. For the bound of bytes, keeps
    /// those that are smaller than the average, and checks only some per call: many small ones may
    /// be next to a few large ones.
    mutating func shrink(to countMax: Int, bytes bytesMax: Int) {
        var looks = 2 * residents.count
        while count > countMax, looks > 0 {
            looks -= 1
            advanceHand()
        }
        looks = min(looks, Self.looksForBytes)
        while bytes > bytesMax, looks > 0 {
            looks -= 1
            let average = bytes / count
            advanceHand { $0.countedBytes >= average }
        }
    }

    private static let looksForBytes = 16_384

    /// Moves the hand over one instance: drops it if it is idle and `mayGo`, else clears its second
    /// chance.
    private mutating func advanceHand(where mayGo: (Resident) -> Bool = { _ in true }) {
        if hand >= residents.count { hand = 0 }
        if residents[hand].isDirty || residents[hand].wasUsed || !mayGo(residents[hand]) {
            residents[hand].wasUsed = false
            hand += 1
        } else {
            // The removal moves the last instance to this place, so the hand stays.
            remove(at: hand)
        }
    }
}
