import Glibc

/// The style of text on one of the process's outputs.
struct Style {
    /// The emphasis of a piece of text; the values are those of the escape sequence SGR.
    enum Tone: Int, CaseIterable {
        case plain = 0
        case strong = 1
        case faint = 2
        case bad = 31
        case good = 32
        case accent = 36
    }

    let isTerminal: Bool
    let hasColor: Bool

    init(of descriptor: Int32, _ choice: ColorChoice) {
        isTerminal = isatty(descriptor) == 1
        switch choice {
        case .always: hasColor = true
        case .never: hasColor = false
        case .auto: hasColor = isTerminal && Style.environmentAllowsColor
        }
    }

    /// See https://no-color.org for `NO_COLOR`; a terminal without a name has no colors either.
    private static var environmentAllowsColor: Bool {
        func text(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
        return text("NO_COLOR").isEmpty && !["", "dumb"].contains(text("TERM"))
    }

    /// Paints text, if the output has colors; text from outside only after ``safe(_:)``.
    func paint(_ text: String, _ tone: Tone) -> String {
        hasColor && tone != .plain && !text.isEmpty
            ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Escapes text for a terminal (``TerminalText``); elsewhere the text is unchanged.
    func safe(_ text: String) -> String { isTerminal ? TerminalText.piece(text) : text }

    /// The characters of ``paint(_:_:)`` after the escape character.
    static let colors = Tone.allCases.map { "[\($0.rawValue)m" }
}
