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
            you don't need it. If anything fails, the data file stays as it is.

              systemctl stop grove
              grove restore /backup/grove.db /var/lib/grove/grove.db
              systemctl start grove

            Everything after the backup is gone, and cursors of subscribers are refused. Tokens \
            that were revoked since are valid again. With --without-tokens all tokens of the \
            restored file are revoked; 'grove token create --data' makes a new one.

            Exit codes: 65 the backup is damaged or no data file, 66 there is no such backup or \
            folder, 73 a server has one of the files open, 74 a file can't be read or written.
            """)

    @Argument(help: "The backup, a data file without a log.", completion: .file())
    var backup: String
    @Argument(help: "The data file of the server.", completion: .file()) var data: String
    @Flag(help: "Revoke all tokens of the restored file.") var withoutTokens = false
    @Flag(help: "Check only what a server checks at its start.") var quick = false
    @OptionGroup var format: FormatFlags

    func validate() throws {
        var (from, to) = (stat(), stat())
        if stat(backup, &from) == 0, stat(data, &to) == 0, from.st_ino == to.st_ino,
            from.st_dev == to.st_dev
        {
            throw ValidationError("BACKUP and FILE are the same file.")
        }
    }

    func run() throws {
        let copy = data + ".restoring"
        let signals = StopSignals { number in
            unlink(copy + ".part")
            unlink(copy)
            _exit(128 + number)
        }
        do {
            var restored = try RestoredFile(
                of: backup, to: copy, for: data, quick: quick, format.noteStyle)
            // Afterwards it has the name of the data file.
            defer { unlink(copy) }
            if withoutTokens { try restored.revokeTokens() }
            let former = data + ".before-" + Self.moment
            let outcome = try DataFileSwap.put(copy, at: data, keeping: former)
            withExtendedLifetime(signals) {}
            try show(restored, former, outcome)
        } catch let error as StoreOpenError {
            throw error.report(format.noteStyle)
        } catch let error as StoreError {
            Output.note("error: \(format.noteStyle.safe("\(error)"))")
            throw ExitCode.inputOutput
        }
    }

    /// The present time as a part of a file's name, `20261121T022000Z`.
    private static var moment: String {
        let text = TimestampText.string(Timestamp(milliseconds: HumanTime.now))
        return text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }

    private func show(
        _ restored: RestoredFile, _ former: String, _ outcome: DataFileSwap.Former
    ) throws {
        let newest = restored.newest.map { TimestampText.string(Timestamp(milliseconds: $0)) }
        var damage: String?
        var kept: String?
        if case .kept(let reason) = outcome { (kept, damage) = (former, reason) }
        if format.json {
            var object: JSONObject = ["file": .string(data), "backup": .string(backup)]
            for (name, value) in restored.counts { object[name] = .integer(value) }
            object["newest"] = newest.map(JSONValue.string) ?? .null
            object["tokens"] = .integer(Int64(restored.tokens.all))
            object["valid_tokens"] = .integer(Int64(restored.tokens.valid))
            object["former"] = kept.map(JSONValue.string) ?? .null
            if let damage { object["former_damage"] = .string(damage) }
            try Output.line(JSONValue.object(object).serialized())
        } else {
            try showRows(restored, newest, kept)
        }
        if let damage { Output.note("the former file couldn't be opened: \(damage)") }
        if restored.tokens.valid > 0 {
            Output.note("tokens that were revoked since are valid again; see --without-tokens")
        }
    }

    private func showRows(_ restored: RestoredFile, _ newest: String?, _ kept: String?) throws {
        try Output.line("\(data)  restored from \(backup)")
        var rows = restored.counts.map { [$0.name, StatsChange.count($0.value)] }
        if let time = restored.newest, let newest {
            let age = HumanTime.relative(time, now: HumanTime.now)
            rows.append(["newest step", "\(newest), \(age)"])
        }
        if restored.tokens.all > 0 {
            let text = withoutTokens ? "all revoked" : "\(restored.tokens.valid) valid now"
            rows.append(["tokens", "\(restored.tokens.all), \(text)"])
        }
        if let kept { rows.append(["former file", kept]) }
        try format.table(rows, under: [.init("", .faint)], hasHeader: false)
    }
}
