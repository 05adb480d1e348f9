import GroveEngine

/// Recently decoded events of one machine, by their bytes. Decoding is a pure function of the
/// bytes, so the same bytes always mean the same event.
///
/// Most machines have events without values, or with few, which clients send often. Decoding a
/// small event through `Codable` takes 1 µs, and the rest of its line 0.4 µs; an event found here
/// costs no decoding. Events that don't repeat cost 0.1 µs more.
///
/// The requests of one turn share a copy of the event. Two threads that count references to the
/// same memory wait for each other with each of them (docs/decisions/0080-memory-of-one-thread.md).
struct EventMemory {
    /// The meaning of an event's bytes.
    private struct Known {
        let text: [UInt8]
        let event: EventInput
        /// The turn of the requests that share this copy.
        let turn: UInt64
    }

    /// The hashes of the texts, at the indices of ``known``.
    private var hashes: [UInt64] = []
    /// No text is empty but that of a free slot.
    private var known: [Known] = []
    private var count = 0
    private var refused = 0

    // Twice as many slots as events, so that a search ends soon.
    private static let mask = ServerLimits.rememberedEventsMax * 2 - 1

    /// The meaning of these bytes if they are remembered, for a request of a turn.
    ///
    /// - Parameter turn: A number. When it changes, the requests before may be another thread's.
    mutating func find(
        _ text: UnsafeRawBufferPointer, hash: UInt64, turn: UInt64
    ) -> (event: EventInput, text: [UInt8])? {
        guard !known.isEmpty else { return nil }
        var index = Int(truncatingIfNeeded: hash) & Self.mask
        while true {
            if known[index].text.isEmpty { return nil }
            if hashes[index] == hash, text.elementsEqual(known[index].text) { break }
            index = (index + 1) & Self.mask
        }
        if known[index].turn != turn {
            known[index] = Known(
                text: Array(text), event: known[index].event.copy, turn: turn)
        }
        return (known[index].event, known[index].text)
    }

    /// Remembers an event. A full memory stores no more. It restarts empty after sixteen times as
    /// many events as it holds, because its events must be old then.
    mutating func remember(_ text: [UInt8], hash: UInt64, event: EventInput, turn: UInt64) {
        if known.isEmpty { empty() }
        if count == ServerLimits.rememberedEventsMax {
            refused += 1
            guard refused > ServerLimits.rememberedEventsMax * 16 else { return }
            empty()
        }
        var index = Int(truncatingIfNeeded: hash) & Self.mask
        while !known[index].text.isEmpty { index = (index + 1) & Self.mask }
        hashes[index] = hash
        known[index] = Known(text: text, event: event, turn: turn)
        count += 1
    }

    private mutating func empty() {
        hashes = Array(repeating: 0, count: Self.mask + 1)
        known = Array(
            repeating: Known(text: [], event: .unknownMachine, turn: 0), count: Self.mask + 1)
        count = 0
        refused = 0
    }
}
