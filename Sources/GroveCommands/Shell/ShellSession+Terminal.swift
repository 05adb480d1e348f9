import Glibc

extension ShellSession {
    /// Reads lines at a prompt and runs them, until Ctrl-D, `exit`, or a signal that ends it.
    ///
    /// - Parameters:
    ///   - server: The server's address, for the prompt.
    ///   - history: Where lines are kept; `nil` for nowhere.
    ///   - completion: Completes the line before the cursor.
    /// - Returns: The exit code.
    func runTerminal(
        server: String, history: ShellHistory?, completion: ShellCompletion
    ) -> Int32 {
        guard let signals = ShellSignals.begin() else {
            Output.note("error: no room for a pipe: \(String(cString: strerror(errno)))")
            return EX_TEMPFAIL
        }
        var modes = termios()
        let hasModes = tcgetattr(STDIN_FILENO, &modes) == 0
        let input = ShellInput(signals: signals)
        let prompt = "grove \(TerminalText.piece(server))> "
        let reader = reader(input, history, completion)
        Output.note("'help' lists the commands, Ctrl-D ends.")
        var last = ""
        while ShellSignals.ending == nil {
            _ = show(clear: "")
            ShellSignals.expectLine()
            guard let typed = line(reader, prompt) else { break }
            // A blank that completion has left is no part of it.
            let trimmed = String(typed.reversed().drop(while: \.isWhitespace).reversed())
            let text = ShellWords(typed).place == .blank ? trimmed : typed
            guard !text.isEmpty else { continue }
            if text != last {
                reader.remember(text)
                history?.add(text)
            }
            last = text
            let line = ShellWords(text)
            let outcome = run(line, line.whole ?? [])
            // A command that was killed may have left the terminal in a mode of its own.
            if hasModes { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) }
            input.forgetSignals()
            if outcome == .end { break }
            if case .code(let code) = outcome, code != 0 {
                // The terminal has shown ^C.
                if code == 128 + SIGINT { Output.raw("\n") }
                Output.note(style.paint("exit code \(code)", .faint))
            }
        }
        watches.stop()
        if hasModes { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) }
        return ShellSignals.ending.map { 128 + $0 } ?? 0
    }

    /// The next line with those that continue it; empty when it was interrupted, or ended while it
    /// was open; `nil` at the end.
    private func line(_ reader: any LineReader, _ prompt: String) -> String? {
        var text = ""
        while true {
            switch reader.read(text.isEmpty ? prompt : "> ") {
            case .line(let more):
                text += (text.isEmpty ? "" : "\n") + more
                if ShellWords(text).whole != nil { return text }
                guard text.utf8.count <= ShellSession.lineBytesMax else {
                    Output.note("error: the line has more than \(ShellSession.lineBytesMax) bytes")
                    return ""
                }
            case .interrupted:
                Output.raw("\n")
                return ""
            case .end:
                Output.raw("\n")
                // A terminal that is gone says so again at the prompt, and ends the shell there.
                guard !text.isEmpty, ShellSignals.ending == nil else { return nil }
                Output.note("note: the open line is dropped: \(ScriptLines.openLine)")
                return ""
            }
        }
    }

    /// The editor of libedit with the lines of the history; plain lines where it is missing.
    private func reader(
        _ input: ShellInput, _ history: ShellHistory?, _ completion: ShellCompletion
    ) -> any LineReader {
        do throws(EditLibrary.Missing) {
            let editor = LineEditor(
                try EditLibrary.load(), input: input, complete: completion.completions, show: show)
            for line in history?.load() ?? [] { editor.remember(line) }
            return editor
        } catch {
            Output.note("note: \(error)")
            return PlainLineReader(input: input, show: show)
        }
    }

    /// Shows the lines of watches after `clear`, if there are any.
    @Sendable private func show(clear: String) -> Bool {
        let lines = watches.take()
        guard !lines.isEmpty else { return false }
        Output.raw(clear)
        for line in lines {
            // A terminal that is gone ends the prompt.
            try? Output.line(line)
        }
        return true
    }
}
