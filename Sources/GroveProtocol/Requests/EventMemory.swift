import GroveEngine

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
