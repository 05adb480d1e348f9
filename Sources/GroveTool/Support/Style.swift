import ArgumentParser

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// When output has colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    /// On a terminal that has some, unless `NO_COLOR` is set.
    case auto
    case always
    case never
}

/// How text looks on one of the process's outputs.
struct Style {
    /// What a piece of text is, for the eye.
    enum Tone: Int {
        case plain = 0
        case strong = 1
        case faint = 2
        case bad = 31
        case good = 32
        case accent = 36
    }

    /// Whether a person reads it as it is written.
    let isTerminal: Bool

    /// Whether it may have colours.
    let hasColor: Bool

    /// The style of an output.
    init(of descriptor: Int32, _ choice: ColorChoice) {
        isTerminal = isatty(descriptor) == 1
        switch choice {
        case .always: hasColor = true
        case .never: hasColor = false
        case .auto: hasColor = isTerminal && Style.environmentAllowsColor
        }
    }

    /// See https://no-color.org for `NO_COLOR`; a terminal without a name has no colours either.
    private static var environmentAllowsColor: Bool {
        func text(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return text("NO_COLOR").isEmpty && !["", "dumb"].contains(text("TERM"))
    }

    /// The text in a tone, where there are colours.
    func paint(_ text: String, _ tone: Tone) -> String {
        hasColor && tone != .plain && !text.isEmpty
            ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The text as a terminal may have it: what would move its cursor, change its colours or turn
    /// the direction of writing is spelled out. Elsewhere as it is.
    func safe(_ text: String) -> String {
        guard isTerminal, text.unicodeScalars.contains(where: Style.isDangerous) else {
            return text
        }
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if Style.isDangerous(scalar) {
                safe.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            } else {
                safe.append(scalar)
            }
        }
        return String(safe)
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
