import Glibc

/// The lines of earlier shells, in a file that only its user can read. Lines that may hold a secret
/// aren't written.
struct ShellHistory {
    /// `${XDG_STATE_HOME:-~/.local/state}/grove/history`; `nil` without a home.
    static var standardPath: String? {
        // The specification of these variables ignores relative paths.
        let state =
            ConnectionFlags.environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? ConnectionFlags.environment("HOME").map { $0 + "/.local/state" }
        guard let state, state.hasPrefix("/") else { return nil }
        return state + "/grove/history"
    }

    let path: String

    /// The newest lines, oldest first; none if the file can't be read. One that has grown beyond
    /// its bound is written again with those.
    func load() -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        let start = max(0, size - ShellHistory.fileBytesMax)
        lseek(descriptor, start, SEEK_SET)
        guard let bytes = InputFile.bytes(of: descriptor, bytesMax: ShellHistory.fileBytesMax)
        else { return [] }
        var lines = bytes.split(separator: UInt8(ascii: "\n"))
        // The first one may be half a line.
        if start > 0, !lines.isEmpty { lines.removeFirst() }
        let kept = lines.suffix(ShellHistory.linesMax).map { String(decoding: $0, as: UTF8.self) }
        if start > 0 || lines.count > 2 * ShellHistory.linesMax { replace(with: kept) }
        return kept
    }

    /// Adds a line, if it may be kept. That a history can't be written is no error of the shell.
    func add(_ line: String) {
        guard ShellHistory.mayKeep(line) else { return }
        makeFolders()
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        _ = Output.write(Array((ShellHistory.oneLine(line) + "\n").utf8), to: descriptor)
    }

    /// The line without newlines, which in JSON and between words are as good as blanks.
    static func oneLine(_ line: String) -> String {
        line.replacing("\\\n", with: "").replacing("\n", with: " ")
    }

    /// Whether a line may be kept: it isn't too long, doesn't begin with a blank, and has nothing
    /// that looks like a token, a password or a key.
    static func mayKeep(_ line: String) -> Bool {
        guard let first = line.first, !first.isWhitespace,
            line.utf8.count <= ShellHistory.lineBytesMax
        else { return false }
        let words = ShellWords(line)
        // Its first argument answers an effect for everybody.
        if (words.whole ?? words.words).prefix(2).contains("complete") { return false }
        // A word may continue on the next line.
        let text = oneLine(line).lowercased()
        let isSecret =
            // Tokens of principals, and of effects.
            text.contains(/grove_[a-z0-9]{8}_/) || text.contains(/\b[0-9]+-[0-9]+-[0-9a-f]{32}\b/)
            // Members of JSON and assignments that are named after secrets, and headers.
            || text.contains(/(password|passwd|passphrase|secret|token)\w*["'\\]*\s*[:=]/)
            || text.contains(/(api|private)[-_ ]?key\w*["'\\]*\s*[:=]/)
            || text.contains(/(credential|authorization)\w*["'\\]*\s*[:=]/)
            || text.contains(/\b(pass|pwd|pin|key)["'\\]*\s*[:=]/)
            || text.contains(/\b(bearer|basic)\s+\S/)
            // JSON Web Tokens (each begins with `{"` in Base64), keys in PEM, passwords in URLs.
            || text.contains(/\beyj[\w-]+\.eyj[\w-]+\./) || text.contains("-----begin ")
            || text.contains(/:\/\/[^\s\/@:]*:[^\s\/@]+@/)
            // Keys of well-known services, by the beginnings that they gave them for scanners.
            || text.contains(/\b(sk|pk|rk)[-_](live|test|proj|ant)[-_]\w/)
            || text.contains(/\b(gh[pousr]_|github_pat_|glpat-|npm_|xox[abeoprs]-|hf_)\w/)
            || text.contains(/\b(akia|asia)[0-9a-z]{16}\b/) || text.contains(/\baiza[\w-]{35}/)
        return !isSecret
    }

    private func replace(with lines: [String]) {
        let partial = path + ".part"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let text = lines.map { $0 + "\n" }.joined()
        let number = Output.write(Array(text.utf8), to: descriptor)
        close(descriptor)
        if number != 0 || rename(partial, path) != 0 { unlink(partial) }
    }

    /// Makes the folders of the file that aren't there, for this user alone.
    private func makeFolders() {
        var folder = ""
        for part in path.split(separator: "/").dropLast() {
            folder += "/" + part
            mkdir(folder, 0o700)
        }
    }
}
