/// The transcript of a simulation, which is also a script and a test: commands after `> `, below
/// each the lines that it showed, indented by two, and comments after `#`.
///
/// ```text
/// # Paying too little isn't enough.
/// > .start
///   state     waiting
/// > PAY {"amount":5}
///   context   paid 0 -> 5
/// ```
///
/// A script may also have commands without `> `, if no line of it begins so.
public struct Conversation: Sendable {
    /// A command of a conversation, or text between commands.
    enum Part: Sendable {
        /// A comment or a blank line.
        case text(String)
        /// A command with its line number, and the lines below it.
        case command(String, line: Int, expected: [String])
    }

    /// A line that is neither a command, nor output, nor a comment.
    public struct Fault: Error, Sendable {
        /// The line, counted from 1.
        public let line: Int
        /// One sentence.
        public let message: String
    }

    /// The first difference between a conversation and a run of it.
    public struct Difference: Sendable {
        /// The line of the conversation, counted from 1.
        public let line: Int
        /// What is there; nil at its end.
        public let expected: String?
        /// What the run has shown instead; nil for nothing.
        public let shown: String?
    }

    /// A run of a conversation.
    public struct Outcome: Sendable {
        /// The conversation as this run would write it.
        public let text: String
        /// The first difference; nil if there is none.
        public let difference: Difference?
        /// The first command that couldn't be carried out, by line.
        public let fault: Fault?
    }

    let parts: [Part]

    /// Reads a conversation or a script.
    ///
    /// - Throws: ``Fault``.
    public init(_ text: String) throws(Fault) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        let isScript = !lines.contains { $0.hasPrefix("> ") }
        var parts: [Part] = []
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmed
            if trimmed.isEmpty || trimmed.first == "#" {
                parts.append(.text(trimmed))
            } else if line.hasPrefix("> ") || isScript {
                let command = line.hasPrefix("> ") ? String(line.dropFirst(2)).trimmed : trimmed
                parts.append(.command(command, line: index + 1, expected: []))
            } else if line.hasPrefix("  "),
                case .command(let command, let number, let expected)? = parts.last
            {
                parts[parts.count - 1] = .command(
                    command, line: number, expected: expected + [line])
            } else {
                throw Fault(
                    line: index + 1,
                    message: "a command begins with '> ', its output directly below with two "
                        + "blanks, and a comment with '#'")
            }
        }
        self.parts = parts
    }

    /// The commands, comments and blank lines in order; a comment has the number 0.
    public var lines: [(text: String, number: Int)] {
        parts.map { part in
            switch part {
            case .text(let text): (text, 0)
            case .command(let text, let line, _): (text, line)
            }
        }
    }

    /// Carries out the commands, and compares what they show with the conversation.
    public func run(_ prepared: Simulation) -> Outcome {
        var simulation = prepared
        var text = ""
        var difference: Difference?
        var fault: Fault?
        for part in parts {
            switch part {
            case .text(let line): text += line + "\n"
            case .command(let command, let line, let expected):
                let result = simulation.perform(command)
                if let message = result.fault, fault == nil {
                    fault = Fault(line: line, message: message)
                }
                let shown = result.records.map(\.line)
                text += "> \(command)\n" + shown.map { $0 + "\n" }.joined()
                if difference == nil {
                    difference = Self.difference(shown, from: expected, line: line + 1)
                }
            }
        }
        return Outcome(text: text, difference: difference, fault: fault)
    }

    private static func difference(
        _ shown: [String], from expected: [String], line: Int
    ) -> Difference? {
        for index in 0..<max(shown.count, expected.count) {
            let old = index < expected.count ? expected[index] : nil
            let new = index < shown.count ? shown[index] : nil
            if old != new { return Difference(line: line + index, expected: old, shown: new) }
        }
        return nil
    }
}
