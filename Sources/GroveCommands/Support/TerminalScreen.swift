import Diagrams
import Dispatch
import Glibc

/// The whole terminal: a picture that is drawn again in place, and keys without a newline. At its
/// end the earlier content is restored.
final class TerminalScreen {
    /// The characters per line and the lines of standard output; `nil` if it is no terminal.
    static var size: (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return (Int(size.ws_col), max(1, Int(size.ws_row)))
    }

    private var before = termios()
    private let hasKeys: Bool
    private let keys: (any DispatchSourceRead)?

    /// Switches to the screen; `onQuit` is called, on a separate queue, at the key `q`.
    init(onQuit: @escaping @Sendable () -> Void) {
        hasKeys = tcgetattr(STDIN_FILENO, &before) == 0
        if hasKeys {
            var raw = before
            raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &raw)
            let source = DispatchSource.makeReadSource(
                fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "grove.keys"))
            source.setEventHandler {
                var byte: UInt8 = 0
                let count = read(STDIN_FILENO, &byte, 1)
                if count <= 0 || byte == UInt8(ascii: "q") || byte == UInt8(ascii: "Q") {
                    onQuit()
                }
                // At its end standard input stays readable forever.
                if count <= 0 { source.cancel() }
            }
            source.activate()
            keys = source
        } else {
            keys = nil
        }
        put("\u{1B}[?1049h\u{1B}[?25l")
    }

    deinit {
        keys?.cancel()
        put("\u{1B}[?25h\u{1B}[?1049l")
        if hasKeys { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
    }

    /// Shows the lines without colors, cut to the terminal's size. Control characters in them can't
    /// take over the terminal.
    func show(_ lines: [String]) {
        let size = TerminalScreen.size ?? (80, 24)
        var text = "\u{1B}[H"
        for line in lines.prefix(size.lines - 1) {
            text += TerminalText.piece(line).cut(to: size.columns) + "\u{1B}[K\n"
        }
        put(text + "\u{1B}[J")
    }

    // The next write reports a failure.
    private func put(_ text: String) { _ = Output.write(Array(text.utf8), to: STDOUT_FILENO) }
}

extension String {
    /// The text, cut to `width` columns of a terminal with `…` at its end.
    func cut(to width: Int) -> String {
        // No character has fewer bytes than columns.
        if utf8.count <= width { return self }
        guard width > 0 else { return "" }
        var columns = 0
        var end = startIndex
        var fitting = startIndex
        while end < endIndex {
            columns += TextCells.width(of: self[end])
            guard columns <= width else { return self[..<fitting] + "…" }
            end = index(after: end)
            if columns < width { fitting = end }
        }
        return self
    }

    /// The line breaks that a terminal with `columns` makes when it shows the text from its first
    /// column on. A wide character that doesn't fit into a line begins the next one.
    func lineBreaks(columns: Int) -> Int {
        var breaks = 0
        var column = 0
        for character in self {
            let width = TextCells.width(of: character)
            if column + width > columns {
                breaks += 1
                column = 0
            }
            column += width
        }
        return column >= columns ? breaks + 1 : breaks
    }
}
