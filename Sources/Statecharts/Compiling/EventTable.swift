/// The transitions of one state by their event descriptors.
///
/// Entries are sorted by descriptor, and within one by document order, so that selecting doesn't
/// visit the transitions of other events.
struct EventTable: Sendable {
    struct Entry: Sendable {
        let descriptor: Int32
        let transition: Int32
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Adds a transition; those of a state are added in document order.
    mutating func append(_ descriptor: Int32, _ transition: Int32) {
        entries.append(Entry(descriptor: descriptor, transition: transition))
    }

    /// Sorts the entries; transitions have numbers in document order.
    mutating func sort() {
        entries.sort { ($0.descriptor, $0.transition) < ($1.descriptor, $1.transition) }
    }

    /// The first transition after `previous` with one of the descriptors that an event matches.
    func next(after previous: Int32, _ event: DescriptorTable.Match) -> Int32? {
        guard !entries.isEmpty else { return nil }
        var found: Int32?
        if event.exact >= 0 { find(event.exact, after: previous, &found) }
        for prefix in event.prefixes { find(prefix, after: previous, &found) }
        find(DescriptorTable.everything, after: previous, &found)
        return found
    }

    private func find(_ descriptor: Int32, after previous: Int32, _ found: inout Int32?) {
        entries.withUnsafeBufferPointer { entries in
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                let entry = entries[middle]
                if (entry.descriptor, entry.transition) <= (descriptor, previous) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            guard low < entries.count, entries[low].descriptor == descriptor else { return }
            let transition = entries[low].transition
            found = found.map { min($0, transition) } ?? transition
        }
    }
}
