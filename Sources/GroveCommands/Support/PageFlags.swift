import ArgumentParser
import GroveEngine

/// The flags of every command that shows pages.
struct PageFlags: ParsableArguments {
    @Option(help: "How many at most, in one page (1 to 1000); with --all the size of a page.")
    var limit = 100
    @Flag(help: "All pages, one after the other.") var all = false

    func validate() throws {
        if !(1...Limits.pageItemsMax).contains(limit) {
            throw ValidationError("--limit is from 1 to \(Limits.pageItemsMax).")
        }
    }

    /// Shows the page behind `start`, or all from there on, and says how to go on.
    ///
    /// - Parameter show: Shows the page behind a position, told whether it is the first that is
    ///   shown, and returns where it ends; `nil` at the end of all.
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
