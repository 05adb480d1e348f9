/// What a person typed at the prompt.
enum ShellPrompt: Equatable {
    case line(String)
    /// Ctrl-C: the line is forgotten.
    case interrupted
    /// Ctrl-D on an empty line, or no terminal any more.
    case end
}
