/// Two texts that differ, as excerpts around the first difference.
struct TextPair {
    let stored: String
    let other: String

    init(_ stored: [UInt8], _ other: [UInt8]) {
        var same = zip(stored, other).prefix { $0 == $1 }.count
        // A difference near the beginning is shown with the whole beginning.
        same = same <= Self.beforeMax * 2 ? 0 : same - Self.beforeMax
        self.stored = Self.excerpt(stored, from: same)
        self.other = Self.excerpt(other, from: same)
    }

    /// The beginning of a text.
    static func excerpt(_ text: [UInt8]) -> String { excerpt(text, from: 0) }

    private static func excerpt(_ text: [UInt8], from start: Int) -> String {
        var (start, end) = (min(start, text.count), min(start + bytesMax, text.count))
        // Characters stay whole.
        while start < text.count, text[start] & 0xC0 == 0x80 { start += 1 }
        while end > start, end < text.count, text[end] & 0xC0 == 0x80 { end -= 1 }
        return (start > 0 ? "…" : "") + String(decoding: text[start..<end], as: UTF8.self)
            + (end < text.count ? "…" : "")
    }
}
