import OrderedJSON

/// Escapes text from outside for the log: it stays on one line, so that nobody can forge an entry.
package enum LogText {
    /// The text, cut to `bytesMax` bytes, with `\u{…}` for each character that moves a cursor, ends
    /// a line or changes the reading direction.
    package static func escaped(_ text: String, bytesMax: Int = bytesMax) -> String {
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

    /// Whether terminals and readers of lines only show it.
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: false  // C0, DEL, C1
        case 0x2028, 0x2029: false  // line and paragraph separators
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: false  // direction
        default: true
        }
    }
}
