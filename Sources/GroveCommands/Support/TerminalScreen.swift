import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The size of a terminal.
enum TerminalSize {
    /// How many characters stand in a line and how many lines there are; `nil` where nobody knows,
    /// as in a pipe.
    static func of(_ descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), max(1, Int(size.ws_row)))
    }
}

/// A terminal that a command has for itself: its picture is drawn anew in place, and keys arrive
/// without a newline. What stood there before comes back in the end.
final class TerminalScreen {
    private var before = termios()
    private let hasKeys: Bool
    private let keys: (any DispatchSourceRead)?

    /// Takes the terminal; `onQuit` is called, on a queue of its own, when somebody presses `q`.
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
                // At its end it would be readable for ever.
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

    /// Shows these lines, as many and as much of them as there is room for; they have no colours,
    /// and nothing in them can take the terminal over.
    func show(_ lines: [String]) {
        let size = TerminalSize.of(STDOUT_FILENO) ?? (80, 24)
        var text = "\u{1B}[H"
        for line in lines.prefix(size.lines - 1) {
            text += TerminalText.piece(line).cut(to: size.columns) + "\u{1B}[K\n"
        }
        put(text + "\u{1B}[J")
    }

    /// If that fails, the next line that is written says so.
    private func put(_ text: String) { _ = Output.write(Array(text.utf8), to: STDOUT_FILENO) }
}

extension String {
    /// The text, or as much of it as fits with `…` behind it.
    func cut(to width: Int) -> String {
        count <= width ? self : width < 1 ? "" : String(prefix(width - 1)) + "…"
    }
}
