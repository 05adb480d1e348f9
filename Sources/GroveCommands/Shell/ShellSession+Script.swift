extension ShellSession {
    /// Runs the lines of standard input. The first that fails ends it, unless it keeps going.
    ///
    /// - Returns: The exit code: that of the first line that failed.
    func runScript(keepsGoing: Bool) -> Int32 {
        var lines = ScriptLines()
        var firstCode: Int32 = 0
        while true {
            do throws(ScriptLines.Unreadable) {
                guard let (number, line) = try lines.next() else { return firstCode }
                switch run(line, line.whole ?? []) {
                case .end: return firstCode
                case .code(0): break
                case .code(let code):
                    if firstCode == 0 { firstCode = code }
                    let more = keepsGoing ? "" : "; the lines after it didn't run"
                    Output.note("line \(number): exit code \(code)\(more)")
                    if !keepsGoing { return code }
                }
            } catch {
                Output.note("line \(error.number): error: \(error.reason)")
                return firstCode == 0 ? error.code : firstCode
            }
        }
    }
}
