import ArgumentParser
import GroveEngine

/// The flags of commands that show pages.
struct PageFlags: ParsableArguments {
    @Option(help: "The size of a page, from 1 to 1000.")
    var limit = 100
    @Flag(help: "Show all pages.") var all = false

    func validate() throws {
        if !(1...Limits.pageItemsMax).contains(limit) {
            throw ValidationError("--limit is from 1 to \(Limits.pageItemsMax).")
        }
    }

    /// Shows the page after `start`, or all pages from there on. If more follow, a note has the
    /// flag for the next page.
    ///
    /// - Parameter show: Shows the page after a position and returns the position of its end; `nil`
    ///   for the last page.
    func forEach<Position: CustomStringConvertible>(
        from start: Position?, _ show: (Position?, _ isFirst: Bool) async throws -> Position?
    ) async throws {
        var position = start
        var isFirst = true
        repeat {
            position = try await show(position, isFirst)
            isFirst = false
        } while all && position != nil
        guard let position else { return }
        // A name is quoted, because a shell may read it otherwise.
        let text = position is String ? "'\(TerminalText.piece("\(position)"))'" : "\(position)"
        Output.note("there are more: go on with --after \(text)")
    }
}
