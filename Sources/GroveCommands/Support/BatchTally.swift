import ArgumentParser
import GroveClient

/// Counts the outcomes of a batch's lines, and shows the progress.
struct BatchTally {
    private let all: Int
    private var applied = 0
    private var repeated = 0
    private var refused = 0
    /// Lines with an unknown outcome.
    private var unknown = 0
    private(set) var firstCode: ExitCode?
    var progress: ProgressLine

    init(all: Int, _ style: Style) {
        self.all = all
        progress = ProgressLine("sending, lines", style)
    }

    /// Counts a line that was applied, now or earlier.
    mutating func add(_ sent: SendReply) {
        if sent.isDuplicate { repeated += 1 } else { applied += 1 }
    }

    /// Counts lines that were refused, or whose outcome is unknown.
    mutating func add(_ error: ClientError, lines: Int) {
        if error.isOutcomeUnknown { unknown += lines } else { refused += lines }
        firstCode = firstCode ?? Failures.exitCode(error)
    }

    /// The outcomes of all lines, in one line.
    var summary: String {
        let unsent = all - applied - repeated - refused - unknown
        let counts = [
            (repeated, "repeated"), (refused, "refused"), (unknown, "unknown"),
            (unsent, "not sent"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }
        return "\(counted(all, "line")): \(applied) applied" + words.joined()
    }

    mutating func showProgress() {
        progress.show(Int64(applied + repeated + refused + unknown), of: Int64(all))
    }
}

/// A count with its noun, whose plural ends in `s`: `1 line`, `2 lines`.
func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
