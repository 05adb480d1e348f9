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

    /// Writes an error of files or of the system for programs, with `--json`.
    ///
    /// - Parameter lines: The lines of a file that are to blame, with their reasons.
    func showFailure(
        _ code: ExitCode, _ message: String, lines: [(line: Int, reason: String)] = []
    ) {
        // The exit code says it too, and a closed output must not change that.
        if json { try? Output.line(Failures.json(code, message, lines: lines)) }
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
