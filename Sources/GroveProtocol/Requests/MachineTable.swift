import GroveEngine
import GroveWire
import OrderedJSON
import Transducers

/// The hosted machines by the bytes of their names, with their recently decoded events.
struct MachineTable {
    /// A machine and its recently decoded events.
    struct Entry {
        let name: [UInt8]
        let definition: Definition
        var events = EventMemory()
    }

    private var entries: [Entry]
    /// Indices of `entries` by hash, open addressing; -1 is free. Never more than half full.
    private var slots: [Int32]
    private let mask: Int
    private var last = 0

    init(_ catalogue: Catalogue) {
        entries = catalogue.all.map { Entry(name: Array($0.name.utf8), definition: $0) }
        var size = 4
        while size < entries.count * 2 { size *= 2 }
        slots = Array(repeating: -1, count: size)
        mask = size - 1
        for (index, entry) in entries.enumerated() {
            var slot = entry.name.withUnsafeBytes { Int(ByteHash.of($0) & UInt64(mask)) }
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index)
        }
    }

    /// The index of the machine of this name, for ``subscript(_:)``.
    mutating func index(of name: UnsafeRawBufferPointer) -> Int? {
        if last < entries.count, name.elementsEqual(entries[last].name) { return last }
        var slot = Int(ByteHash.of(name) & UInt64(mask))
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if name.elementsEqual(entries[index].name) {
                last = index
                return index
            }
            slot = (slot + 1) & mask
        }
        return nil
    }

    subscript(index: Int) -> Entry {
        get { entries[index] }
        _modify { yield &entries[index] }
    }
}
