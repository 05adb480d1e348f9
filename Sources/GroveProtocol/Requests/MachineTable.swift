import GroveEngine
import OrderedJSON
import Transducers

/// The hosted machines by the bytes of their names, with what each has decoded lately.
struct MachineTable {
    /// A machine and the events it was sent before.
    struct Entry {
        let name: [UInt8]
        let definition: Definition
        var events = EventMemory()
    }

    private var entries: [Entry]
    /// Indices of `entries` by hash, open addressing; -1 is free. Never more than half full.
    private var slots: [Int32]
    private let mask: Int
    /// Bursts mostly go to one machine.
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

/// Events of one machine that were decoded lately, by the bytes they were written with. Decoding
/// is a pure function of them, so the same bytes always mean the same event.
///
/// Most machines have events without values, or with few: they come again and again. Decoding a
/// small event through `Codable` takes 1 µs, and reading the rest of its line 0.4 µs; an event
/// found here costs no decoding. Events that never come again cost 0.1 µs more.
struct EventMemory {
    /// The meaning of an event's bytes.
    struct Known {
        let hash: UInt64
        let text: [UInt8]
        let event: EventInput
    }

    private var known: [Known?] = []
    private var count = 0
    private var refused = 0

    // Twice as many places as events, so that a search ends soon.
    private static let mask = ServerLimits.rememberedEventsMax * 2 - 1

    /// The meaning of these bytes if they are remembered.
    func find(_ text: UnsafeRawBufferPointer, hash: UInt64) -> Known? {
        guard !known.isEmpty else { return nil }
        var index = Int(truncatingIfNeeded: hash) & Self.mask
        while let candidate = known[index] {
            if candidate.hash == hash, text.elementsEqual(candidate.text) { return candidate }
            index = (index + 1) & Self.mask
        }
        return nil
    }

    /// Remembers an event. A full memory stores no more. It restarts empty after sixteen times as
    /// many events as it holds, because its events must be old then.
    mutating func remember(_ text: [UInt8], hash: UInt64, event: EventInput) {
        if known.isEmpty { known = Array(repeating: nil, count: Self.mask + 1) }
        if count == ServerLimits.rememberedEventsMax {
            refused += 1
            guard refused > ServerLimits.rememberedEventsMax * 16 else { return }
            known = Array(repeating: nil, count: Self.mask + 1)
            count = 0
            refused = 0
        }
        var index = Int(truncatingIfNeeded: hash) & Self.mask
        while known[index] != nil { index = (index + 1) & Self.mask }
        known[index] = Known(hash: hash, text: text, event: event)
        count += 1
    }
}

/// A fast hash of short byte strings. Not keyed: its tables are bounded and compare bytes, so an
/// attacker can make one table of 256 slow, and no more.
enum ByteHash {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(&hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        mix(&hash, rest)
        return hash ^ (hash >> 32)
    }

    private static func mix(_ hash: inout UInt64, _ word: UInt64) {
        let product = (hash ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        hash = product.high ^ product.low &+ 0x9E37_79B9_7F4A_7C15
    }
}
