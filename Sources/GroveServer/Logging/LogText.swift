import OrderedJSON

/// Text from outside on its way into the log: one line however hostile it is, so that nobody can
/// forge an entry.
package enum LogText {
    /// Bytes of one message or value; what is longer is cut.
    static let bytesMax = 2 << 10

    /// The text without anything that moves a cursor, ends a line or turns the reading
    /// direction, each written as `\u{…}`, and cut to so many bytes.
    static func escaped(_ text: String, bytesMax: Int = bytesMax) -> String {
        var result = ""
        var bytes = 0
        for scalar in text.unicodeScalars {
            let piece =
                isHarmless(scalar)
                ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
            bytes += piece.utf8.count
            guard bytes <= bytesMax else { return result + "…" }
            result += piece
        }
        return result
    }

    /// Whether a terminal, or whoever reads a line, does no more with it than show it.
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: false  // C0, DEL, C1
        case 0x2028, 0x2029: false  // line and paragraph separators
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: false  // direction
        default: true
        }
    }
}
