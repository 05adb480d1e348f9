import ArgumentParser
import GroveClient

/// Counts what became of the lines of a batch, and shows how far it is.
struct BatchTally {
    private let all: Int
    private var applied = 0
    private var repeated = 0
    private var refused = 0
    /// Lines whose outcome nobody knows.
    private var unknown = 0
    /// The exit code of the first error.
    private(set) var firstCode: ExitCode?
    private var progress: ProgressLine

    init(all: Int, _ style: Style) {
        self.all = all
        progress = ProgressLine("sending, lines", style)
    }

    /// One line was applied, or had been before.
    mutating func note(_ sent: SendReply) {
        if sent.isDuplicate { repeated += 1 } else { applied += 1 }
    }

    /// Lines were refused, or nobody knows.
    mutating func note(_ error: ClientError, lines: Int) {
        if error.isOutcomeUnknown { unknown += lines } else { refused += lines }
        firstCode = firstCode ?? Failures.exitCode(error)
    }

    /// What became of all lines, in one line.
    var summary: String {
        var words = ["\(counted(all, "line")): \(applied) applied"]
        if repeated > 0 { words.append("\(repeated) repeated") }
        if refused > 0 { words.append("\(refused) refused") }
        if unknown > 0 { words.append("\(unknown) unknown") }
        let unsent = all - applied - repeated - refused - unknown
        if unsent > 0 { words.append("\(unsent) not sent") }
        return words.joined(separator: ", ")
    }

    /// Shows how far it is.
    mutating func showProgress() {
        progress.show(Int64(applied + repeated + refused + unknown), of: Int64(all))
    }

    /// Clears what is shown.
    mutating func endProgress() { progress.finish() }
}
