extension ProcessLimits {
    /// Open files of any command: six of the runtime's and Dispatch's, and those of a connection.
    static let descriptorsMin: UInt = 16
    /// Bytes of address space: the program with its libraries, and the stacks of its threads. Below
    /// some 140 MiB, Dispatch tries for ever to make a thread.
    static let addressSpaceMin: UInt = 192 << 20
}

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

extension ReplayReport {
    /// Instances whose first difference can be shown, at most: some hundred MiB.
    static let shownMax = 10_000
}

extension ShownDivergence {
    /// Bytes of an event, a state or outputs that are shown as JSON.
    static let valueBytesMax = 4_096
}

extension TextPair {
    /// Bytes of an excerpt.
    static let bytesMax = 240
    /// Bytes before the first difference.
    static let beforeMax = 40
}

extension TokenFile {
    /// Bytes of the largest file that can be one. Tokens have 64.
    static let bytesMax = 4_096
}

extension ShellHistory {
    /// Lines that are read from the file, and that the keys reach.
    static let linesMax = 1_000
    /// Bytes of a line that is kept: a longer one is data, and was pasted.
    static let lineBytesMax = 4_096
    /// Bytes of the file's end that are read: all lines of the longest kind.
    static let fileBytesMax = 1_000 * 4_096
}

extension ShellSession {
    /// Bytes of a line with those that continue it: less than a process takes as one argument.
    static let lineBytesMax = 100_000
}

extension ShellCompletion {
    /// Files of a folder that are offered.
    static let filesMax = 1_000
}

extension ShellWatches {
    /// Watches of a shell beside its prompt.
    static let runningMax = 8
    /// Lines that wait for the prompt before a watch is read no more.
    static let linesMax = 1_000
}
