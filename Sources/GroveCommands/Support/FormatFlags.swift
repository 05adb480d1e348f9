import ArgumentParser
import Glibc

/// The flags of every command that writes data.
struct FormatFlags: ParsableArguments {
    @Flag(help: "Write one JSON value per line, with the fields as the server sent them.")
    var json = false

    @Option(help: "Colors: auto (on a terminal, unless NO_COLOR is set), always, or never.")
    var color = ColorChoice.auto

    /// The style of standard output.
    var style: Style { Style(of: STDOUT_FILENO, color) }

    /// The style of standard error.
    var noteStyle: Style { Style(of: STDERR_FILENO, color) }

    /// Says why a command fails, for people and with `--json` for programs; returns the code to
    /// throw.
    ///
    /// - Parameter name: The error's code for programs; by default the one of the exit code.
    func failure(_ code: ExitCode, _ message: String, name: String? = nil) -> ExitCode {
        Output.note(noteStyle.safe("error: \(message)"))
        showFailure(code, message, name: name)
        return code
    }

    /// Writes an error of files or of the system for programs, with `--json`.
    ///
    /// - Parameters:
    ///   - name: The error's code; by default the one of the exit code.
    ///   - isRetryable: Whether the same may succeed a little later.
    ///   - lines: The lines of a file that are to blame, with their reasons.
    func showFailure(
        _ code: ExitCode, _ message: String, name: String? = nil, isRetryable: Bool = false,
        lines: [(line: Int, reason: String)] = []
    ) {
        guard json else { return }
        let text = Failures.json(
            code, message, name: name, isRetryable: isRetryable, lines: lines)
        // The exit code says it too, and a closed output must not change that.
        try? Output.line(text)
    }

    /// Writes rows: on a terminal with a header, elsewhere without.
    func table(_ rows: [[String]], under columns: [Table.Column], hasHeader: Bool = true) throws {
        let lines = Table.lines(rows, under: columns, hasHeader: hasHeader, style: style)
        for line in lines { try Output.line(line) }
    }

    /// Writes items: with `--json` each as a line of JSON, otherwise each as a row.
    func table<Item>(
        of items: [Item], json text: (Item) -> [UInt8], under columns: [Table.Column],
        hasHeader: Bool = true, row: (Item) -> [String]
    ) throws {
        guard json else {
            return try table(items.map(row), under: columns, hasHeader: hasHeader)
        }
        for item in items { try Output.line(text(item)) }
    }
}
