import Glibc

/// The form of log lines.
public enum LogFormat: String, Sendable, CaseIterable {
    /// Text if standard error is a terminal, otherwise JSON.
    case auto
    /// One JSON object per line, for programs.
    case json
    /// One line of text, for people.
    case text

    /// The format that ``auto`` selects; any other itself.
    var resolved: LogFormat {
        guard self == .auto else { return self }
        return isatty(STDERR_FILENO) == 1 ? .text : .json
    }
}
