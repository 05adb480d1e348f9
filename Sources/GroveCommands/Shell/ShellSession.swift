import Glibc

/// A shell from its first line to its last.
struct ShellSession: Sendable {
    /// What a line led to.
    enum Outcome: Equatable {
        case code(Int32)
        case end
    }

    /// Words of the shell itself.
    static let ownWords = ["exit", "quit", "unwatch"]
    /// Commands that make no sense in it, with the reason.
    static let refused = [
        "serve": "a server runs on its own: start it in another terminal",
        "shell": "this is one",
        "completions": "it is for the files of another shell: run it there",
    ]

    let commands: ShellCommands
    let flags: ShellFlags
    let watches = ShellWatches()
    let isInteractive: Bool
    let style: Style

    /// Runs the words of one line.
    func run(_ line: ShellWords, _ words: [String]) -> Outcome {
        var words = words
        // So that lines of the manual can be pasted.
        let isNamed = words.first == commands.program
        if isNamed { words.removeFirst() }
        guard let first = words.first else { return .code(0) }
        if words.contains(where: { $0.contains("\0") }) {
            return refuse("a word can't have the character NUL")
        }
        if let found = line.firstOperator {
            let isLast = found.index == line.words.count + (line.last == nil ? -1 : 0)
            guard first == "watch", found.text == "&", isLast else {
                return refuse(
                    "there is no '\(found.text)' here; in quotes it is a word like others")
            }
            return watch(words.dropLast())
        }
        switch first {
        case "exit", "quit":
            return words.count == 1 ? .end : refuse("'\(first)' has no arguments")
        case "unwatch":
            guard words.count == 1 else { return refuse("'unwatch' has no arguments") }
            watches.stop()
            return .code(0)
        default: break
        }
        if let reason = ShellSession.refused[first] {
            return refuse("'\(first)' isn't for this shell: \(reason)")
        }
        return .code(spawn(flags.added(to: words, commands)))
    }

    private func refuse(_ reason: String) -> Outcome {
        Output.note("error: \(style.safe(reason))")
        return .code(EX_USAGE)
    }

    private func watch(_ words: [String]) -> Outcome {
        guard isInteractive else { return refuse("'&' is for a shell on a terminal") }
        var words = flags.added(to: words, commands)
        // Its output is a pipe, which would have none.
        let hasColor = Style(of: STDOUT_FILENO, .auto).hasColor
        if hasColor, !words.contains(where: { $0.hasPrefix("--color") }) {
            words.insert("--color=always", at: 1)
        }
        do throws(ShellWatches.Refusal) {
            try watches.start(words)
            return .code(0)
        } catch {
            return refuse(error.reason)
        }
    }

    private func spawn(_ arguments: [String]) -> Int32 {
        do throws(ShellProcess.Failure) {
            let process = try ShellProcess.foreground(arguments)
            ShellSignals.forward(to: process.id)
            defer { ShellSignals.forward(to: 0) }
            return process.wait()
        } catch {
            Output.note("error: no process begins: \(String(cString: strerror(error.number)))")
            return EX_TEMPFAIL
        }
    }
}
