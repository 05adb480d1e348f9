import GroveServer

/// Text as a terminal may have it: what would move its cursor, change its colours or turn the
/// direction of writing is spelled out.
enum TerminalText {
    /// Whether a terminal does more with it than show it.
    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        !LogText.isHarmless(scalar)
    }

    /// A piece of text from the server or a file, spelled out as Swift has it: `\u{1b}`.
    static func piece(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDangerous) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars { append(scalar, to: &safe) }
        return safe
    }

    /// Whole lines that are put together from such pieces: the colours and line ends of this
    /// program stay, and whatever nobody has spelled out before is.
    static func lines(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isDangerous($0) && $0 != "\n" }) else {
            return text
        }
        var safe = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\n" {
                safe.unicodeScalars.append(scalar)
            } else if scalar == "\u{1B}", let color = color(at: rest) {
                safe += "\u{1B}" + color
                rest = rest.dropFirst(color.unicodeScalars.count)
            } else {
                append(scalar, to: &safe)
            }
        }
        return safe
    }

    /// JSON: spelled out as JSON has it, so that it stays the same value.
    static func json(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: isDangerous) else { return bytes }
        var safe = ""
        for scalar in text.unicodeScalars {
            if !isDangerous(scalar) {
                safe.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 {
                // In valid JSON that is white space between its parts.
                safe += " "
            } else {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return Array(safe.utf8)
    }

    private static func append(_ scalar: Unicode.Scalar, to safe: inout String) {
        if isDangerous(scalar) {
            safe += "\\u{\(String(scalar.value, radix: 16))}"
        } else {
            safe.unicodeScalars.append(scalar)
        }
    }

    /// One of the colours of ``Style``, behind the escape character.
    private static func color(at text: Substring.UnicodeScalarView) -> String? {
        Style.colors.first { text.starts(with: $0.unicodeScalars) }
    }
}
