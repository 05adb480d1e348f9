/// Reads the lines that a person types.
protocol LineReader {
    /// Reads a line after a prompt.
    func read(_ prompt: String) -> ShellPrompt
    /// Remembers a line, if earlier lines can be brought back.
    func remember(_ line: String)
}
