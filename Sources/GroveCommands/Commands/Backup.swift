import ArgumentParser
import Glibc
import GroveClient
import GroveEngine
import GroveStorage
import OrderedJSON

struct Backup: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy all of a running server's data into a file.",
        discussion: """
            The server copies its data file while it works, then sends the copy. The copy has \
            everything that was acknowledged before the command started. It is a complete data \
            file: 'grove check-data' checks it, 'grove serve --data' serves it, under a new log \
            id, so that cursors of the original are refused. The file gets its name when it is \
            complete; until then it is FILE.part.

              grove backup backups/grove-2026-11-21.db
              grove backup - | zstd > grove.db.zst

            If copy and original are both served, timers fire and handlers run twice. Exit code \
            73 means that FILE exists or can't be created, or that a server or another command has \
            it open.
            """)

    @Argument(help: "The file to write, or - for standard output.", completion: .file())
    var file: String
    @Flag(help: "Replace the file if it exists.") var force = false
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if file == "-", Style(of: STDOUT_FILENO, .never).isTerminal {
            throw ValidationError("Standard output is a terminal; name a file, or use a pipe.")
        }
        if file == "-", format.json {
            throw ValidationError("--json writes to standard output, where the backup goes.")
        }
    }

    func run(with client: Client) async throws {
        let start = ContinuousClock.now
        let place = try file == "-" ? nil : place()
        let target = file == "-" ? nil : try TargetFile(file, replaces: force, format)
        let partial = target?.partial
        let signals = StopSignals { number in
            if let partial { unlink(partial) }
            _exit(128 + number)
        }
        let (bytes, pages) = try await BackupCopy(client, format.noteStyle).fetch { bytes in
            if let target {
                try target.write(bytes)
            } else if Output.write(bytes, to: STDOUT_FILENO) != 0 {
                throw ExitCode.systemError("standard output", .inputOutput)
            }
        }
        try target?.finish()
        withExtendedLifetime((signals, place)) {}
        try report(bytes, pages, ContinuousClock.now - start)
    }

    /// Holds the place of the file, which no server may have open; `nil` if there is no such place.
    private func place() throws(ExitCode) -> ReplacedFile? {
        do throws(StoreOpenError) {
            return try ReplacedFile(file)
        } catch .unusablePath {
            // What is wrong is said when the file is made.
            return nil
        } catch {
            throw error.report(format)
        }
    }

    private func report(_ bytes: Int64, _ pages: Int64, _ duration: Duration) throws {
        let seconds = (duration / .milliseconds(1)).rounded() / 1000
        let text = "\(bytes) bytes, \(pages) pages, \(seconds) s"
        if file == "-" { return Output.note("backup: \(text)") }
        guard format.json else { return try Output.line("\(file)  \(text)") }
        let object: JSONValue = [
            "file": .string(file), "bytes": .integer(bytes), "pages": .integer(pages),
            "seconds": .double(seconds),
        ]
        try Output.line(object.serialized())
    }
}
