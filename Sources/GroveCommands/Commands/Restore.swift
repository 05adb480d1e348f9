import ArgumentParser
import Glibc
import GroveEngine
import GroveStorage
import OrderedJSON

import struct GroveProtocol.TimestampText

struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of a stopped server's data file.",
        discussion: """
            Checks the backup as 'grove check-data' does, copies it beside the data file, and \
            exchanges the two. The former file is kept, with the time in its name; remove it when \
            you don't need it. If anything fails, the data file stays as it was. A backup with a \
            log beside it, as 'cp' copies both, is restored with what the log has. FILE may be \
            damaged, empty or no data file any more; only another program's database is refused.

              systemctl stop grove
              grove restore /backup/grove.db /var/lib/grove/grove.db
              systemctl start grove

            Everything after the backup is gone, and cursors of subscribers are refused. Tokens \
            that were revoked since are valid again. With --without-tokens all tokens of the \
            restored file are revoked; 'grove token create --data' makes a new one.

            Exit codes: 65 the backup is damaged or no data file, or FILE is no file or another \
            program's, 66 there is no such backup or folder, 73 a server has one of the \
            files open or another restore writes into the folder, 74 a file or standard output \
            can't be read or written. If the files were exchanged before an error, standard error \
            says so.
            """)

    @Argument(help: "The backup: a data file, with its log if it has one.", completion: .file())
    var backup: String
    @Argument(
        help: ArgumentHelp("The data file of the server.", valueName: "file"), completion: .file())
    var data: String
    @Flag(help: "Revoke all tokens of the restored file.") var withoutTokens = false
    @Flag(help: "Check only what a server checks at its start.") var quick = false
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if backup.isEmpty || data.isEmpty { throw ValidationError("A file's name is empty.") }
        if Self.isSame(backup, data) {
            throw ValidationError("BACKUP and FILE are the same file.")
        }
    }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return stat(one, &first) == 0 && stat(other, &second) == 0
            && first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    func run() throws {
        let (restored, outcome) = try exchange()
        let style = format.noteStyle
        do { try show(restored, outcome.former) } catch let code as ExitCode {
            // What can't be shown has happened all the same.
            Output.note(style.safe("\(data) is restored from \(backup)"))
            if let former = outcome.former {
                Output.note(style.safe("the former file is \(former.path)"))
            }
            throw code
        }
        guard let doubt = outcome.doubt else { return }
        Output.note(style.safe("\(data) is restored, but a power cut may undo that: \(doubt)"))
        throw ExitCode.inputOutput
    }

    /// Restores, and reports an error.
    private func exchange() throws -> (RestoredFile, DataFileSwap.Outcome) {
        do { return try restore() } catch let error as RestoreError {
            error.report(format)
            throw error.code
        } catch let code as ExitCode {
            // Only another process with one of the files is code 73.
            let own = code == .cannotCreate ? ExitCode.inputOutput : code
            RestoreError(own, "the backup couldn't be copied: see standard error").show(format)
            throw own
        }
    }

    private func restore() throws -> (RestoredFile, DataFileSwap.Outcome) {
        let place: DataFileSwap
        do throws(StoreOpenError) { place = try DataFileSwap(data) } catch {
            throw RestoreError(place: error)
        }
        let copy = place.path + ".restoring"
        guard !RestoredFile.parts(of: copy).contains(where: { Self.isSame(backup, $0) }) else {
            throw RestoreError(
                .dataError, "\(backup) is where a restore makes its copy",
                hint: "it may be incomplete; if you need it, give it another name first")
        }
        var signals: StopSignals? = StopSignals { number in
            RestoredFile.remove(copy)
            _exit(128 + number)
        }
        RestoredFile.remove(copy)
        defer {
            // Afterwards it has the name of the data file.
            RestoredFile.remove(copy)
            withExtendedLifetime(place) {}
        }
        var restored = try RestoredFile(
            of: backup, to: copy, for: place.path, quick: quick, format.noteStyle)
        if withoutTokens { try restored.revokeTokens() }
        // The exchange is done whole. It takes no time where files can have two names.
        withExtendedLifetime(signals) {}
        signals = nil
        do throws(StoreOpenError) {
            return (restored, try place.put(copy, at: Self.moment))
        } catch { throw RestoreError(place: error) }
    }

    /// The present time as a part of a file's name, `20261121T022000Z`.
    private static var moment: String {
        let text = TimestampText.string(Timestamp(milliseconds: HumanTime.now))
        return text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private func show(_ restored: RestoredFile, _ former: DataFileSwap.Former?) throws {
        let newest = restored.newest.map { TimestampText.string(Timestamp(milliseconds: $0)) }
        if format.json {
            var object: JSONObject = ["file": .string(data), "backup": .string(backup)]
            for (name, value) in restored.counts { object[name] = .integer(value) }
            object["newest"] = newest.map(JSONValue.string) ?? .null
            object["tokens"] = .integer(Int64(restored.tokens.all))
            object["valid_tokens"] = .integer(Int64(restored.tokens.valid))
            object["former"] = former.map { .string($0.path) } ?? .null
            if let damage = former?.damage { object["former_damage"] = .string(damage) }
            try Output.line(JSONValue.object(object).serialized())
        } else {
            try showRows(restored, newest, former)
        }
        if let damage = former?.damage {
            Output.note(format.noteStyle.safe("the former file couldn't be opened: \(damage)"))
        }
        if restored.tokens.valid > 0 {
            Output.note("tokens that were revoked since are valid again; see --without-tokens")
        }
    }

    private func showRows(
        _ restored: RestoredFile, _ newest: String?, _ former: DataFileSwap.Former?
    ) throws {
        try Output.line(format.style.safe("\(data)  restored from \(backup)"))
        var rows = restored.counts.map { [$0.name, StatsChange.count($0.value)] }
        if let time = restored.newest, let newest {
            let age = HumanTime.relative(time, now: HumanTime.now)
            rows.append(["newest step", "\(newest), \(age)"])
        }
        if restored.tokens.all > 0 {
            let text = withoutTokens ? "all revoked" : "\(restored.tokens.valid) valid now"
            rows.append(["tokens", "\(restored.tokens.all), \(text)"])
        }
        if let former {
            // A log whose file was missing.
            let name = former.hasFile ? former.path : former.path + "-wal"
            rows.append(["former file", name])
        }
        try format.table(rows, under: [.init("", .faint)], hasHeader: false)
    }
}
