import GroveServer

/// Escapes text for a terminal: characters that move its cursor, change its colors or change the
/// reading direction.
enum TerminalText {
    /// Whether a terminal does more than show the character.
    static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        !LogText.isHarmless(scalar)
    }

    /// Escapes text from the server or a file in Swift's form: `\u{1b}`.
    static func piece(_ text: String) -> String {
        LogText.escaped(text, bytesMax: .max)
    }

    /// Escapes whole lines: the colors and newlines of this program stay.
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
                safe += piece(String(scalar))
            }
        }
        return safe
    }

    /// Escapes JSON in JSON's form, so that it stays the same value.
    static func json(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.unicodeScalars.contains(where: isDangerous) else { return bytes }
        var safe = ""
        for scalar in text.unicodeScalars {
            if !isDangerous(scalar) {
                safe.unicodeScalars.append(scalar)
            } else if scalar.value < 0x20 {
                // In valid JSON this is white space between values.
                safe += " "
            } else {
                let digits = String(scalar.value, radix: 16)
                safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return Array(safe.utf8)
    }

    /// A color of ``Style`` after the escape character; `nil` for other text.
    private static func color(at text: Substring.UnicodeScalarView) -> String? {
        Style.colors.first { text.starts(with: $0.unicodeScalars) }
    }
}
