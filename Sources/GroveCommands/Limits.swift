extension BatchWindow {
    /// Requests of `batch` under way.
    static let requestsMax = 8
}

extension Pipeline {
    /// Requests under way of commands that send many, such as `send -` and `import`.
    static let requestsMax = 256
}

extension Import {
    /// Broken lines and conflicts that are listed; further ones are counted.
    static let reportedMax = 100
}

extension Export {
    /// Steps per page of a history.
    static let stepsPerTurn = 1_000

    /// Requests under way with `--history`: replies with steps may be long.
    static let historyRequestsMax = 16
}

extension CaseFiles {
    /// Bytes of a file of tests: more than any test needs, and little enough to be in memory.
    static let bytesMax = 64 << 20
}

extension ConversationFiles {
    /// Bytes of a conversation.
    static let bytesMax = 16 << 20
}

extension ChartFile {
    /// Definitions of one folder that can be invoked.
    static let neighborsMax = 1_000
}

extension Simulate {
    /// Lines of a script.
    static let linesMax = 1_000_000
}

extension Explore {
    /// Repetitions of a command that are shown one by one.
    static let repetitionsMax = 5
}
