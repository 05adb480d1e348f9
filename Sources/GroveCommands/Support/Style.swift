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
    enum Tone: Int, CaseIterable {
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

    /// The text in a tone, where there are colours; text from elsewhere only after ``safe(_:)``.
    func paint(_ text: String, _ tone: Tone) -> String {
        hasColor && tone != .plain && !text.isEmpty
            ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The text as a terminal may have it (``TerminalText``). Elsewhere as it is.
    func safe(_ text: String) -> String { isTerminal ? TerminalText.piece(text) : text }

    /// What ``paint(_:_:)`` writes behind the escape character.
    static let colors = Tone.allCases.map { "[\($0.rawValue)m" }
}
