import Glibc

/// Lines as the terminal itself edits them: with the key that deletes, and no more.
struct PlainLineReader: LineReader {
    let input: ShellInput
    /// Shows lines beside the prompt after the text that it gets; whether there were any.
    let show: @Sendable (_ clear: String) -> Bool

    func read(_ prompt: String) -> ShellPrompt {
        Output.raw(prompt)
        var line = ""
        while true {
            switch input.next() {
            case .character("\n"): return .line(line)
            case .character(let scalar): line.unicodeScalars.append(scalar)
            case .signal(SIGINT): return .interrupted
            case .signal(SIGWINCH): break
            case .end where !line.isEmpty: return .line(line)
            case .end, .signal: return .end
            case .wake: if show("\r\u{1B}[J") { Output.raw(prompt + line) }
            }
        }
    }

    func remember(_ line: String) {}
}
