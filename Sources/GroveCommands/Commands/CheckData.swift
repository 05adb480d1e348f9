import ArgumentParser
import GroveEngine
import GroveServer
import GroveStorage
import OrderedJSON

struct CheckData<Application: GroveApplication>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "check-data",
            abstract: "Check a data file that no server has open; nothing is changed.",
            discussion: """
                Reads everything: SQLite's own structures, the checksum of every row, the chain of \
                the journal, every state against the journal step that set it, effects, dedup keys \
                and counts. A log that a crash has left beside the file is read and stays; a file \
                without one may be on a read-only medium. Needs memory in proportion to the number \
                of instances.

                  grove check-data /backup/grove.db
                  grove check-data grove.db --replay --json

                With --replay the machines of this program process the journal's events again, \
                migrated if earlier versions have written them, and the results are compared. A \
                difference is no damage: the machine may have had other code at that time.

                Exit codes: 0 sound, 1 sound but --replay found differences, 65 damaged or no data \
                file, 66 there is no such file, 73 a server has it open, 74 it can't be read.
                """)
    }

    @Argument(help: "The data file.", completion: .file()) var file: String
    @Flag(help: "Check only what a server checks at its start: header, schema, the journal's end.")
    var quick = false
    @Flag(help: "Also process all events with the machines again.") var replay = false
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if quick && replay { throw ValidationError("Choose --quick or --replay.") }
    }

    func run() throws {
        var report = CheckReport(file: file)
        do throws(StoreOpenError) {
            let store = try SQLiteStore.inspect(path: file)
            // Nothing is written, so closing can't lose anything.
            defer { try? store.close() }
            let catalogue = replay ? Application.catalogue(over: store) : nil
            try inspect(store, catalogue, &report)
        } catch {
            guard error.exitCode == 65 else {
                throw error.report(format, copyTo: "check that")
            }
            report.problems.append(error.description)
        }
        try show(report)
        if !report.problems.isEmpty { throw ExitCode.dataError }
        if !report.divergences.isEmpty { throw ExitCode.refused }
    }

    private func inspect(
        _ store: SQLiteStore, _ catalogue: Catalogue?, _ report: inout CheckReport
    ) throws(StoreOpenError) {
        report.isCopy = store.isCopy
        let wanted = ["instances", "effects", "journal_steps"]
        report.counts = store.statistics().filter { wanted.contains($0.name) }
        do throws(StoreError) {
            if !quick { report.problems += try store.problems(format.noteStyle) }
            if let catalogue, report.problems.isEmpty {
                try replay(store, catalogue, &report)
            }
        } catch {
            switch error {
            case .corrupt(let place): report.problems.append(place)
            case .full, .inputOutput, .tooLarge: throw .inputOutput("\(error)")
            }
        }
    }

    private func replay(
        _ store: SQLiteStore, _ catalogue: Catalogue, _ report: inout CheckReport
    ) throws(StoreError) {
        var progress = ProgressLine("replaying, journal steps", format.noteStyle)
        defer { progress.finish() }
        var replay = Replay(catalogue: catalogue)
        try store.forEachRecord { (record, parent) throws(StoreError) in
            if let divergence = replay.replay(record, parent: try parent()) {
                report.divergences.append(divergence)
            }
            progress.show(record.sequence, of: store.head)
        }
        report.replayed = (replay.steps, replay.skipped)
        try readAll(store, with: replay, &report)
        for divergence in report.divergences {
            let stored = try store.instance(named: divergence.instance)
            report.versions[divergence.instance.text] = stored?.definitionVersion
        }
    }

    /// Decodes the present state of every instance, and the event of every effect.
    private func readAll(
        _ store: SQLiteStore, with replay: Replay, _ report: inout CheckReport
    ) throws(StoreError) {
        var after: String?
        while true {
            let page = try store.instances(prefix: "", after: after, limit: 64)
            for stored in page {
                report.divergences += [replay.check(stored)].compactMap { $0 }
                after = stored.name.text
            }
            if page.count < 64 { break }
        }
        var position: EffectRef?
        while true {
            let page = try store.effects(after: position, limit: 64)
            for row in page {
                position = row.ref
                guard let name = InstanceName(row.body.owner),
                    let owner = try store.instance(named: name)
                else { continue }
                report.divergences += [replay.check(row, of: owner)].compactMap { $0 }
            }
            if page.isEmpty { break }
        }
    }

    private func show(_ report: CheckReport) throws {
        if format.json { return try Output.line(report.json) }
        let style = format.style
        for problem in report.problems {
            try Output.line(style.paint("problem", .bad) + "  " + style.safe(problem))
        }
        for divergence in report.divergences {
            try Output.line(
                style.paint("differs", .accent) + "  "
                    + style.safe(report.text(divergence)))
        }
        let verdict = style.paint(report.verdict, report.problems.isEmpty ? .good : .bad)
        try Output.line("\(file)  \(verdict)" + (quick ? " as far as a start looks" : ""))
        try format.table(report.rows, under: [.init("", .faint)], hasHeader: false)
    }
}

private struct CheckReport {
    let file: String
    var isCopy = false
    var counts: [(name: String, value: Int64)] = []
    var problems: [String] = []
    var divergences: [Replay.Divergence] = []
    /// The versions of the definitions that ran the instances' last steps, by the instances' names.
    var versions: [String: String] = [:]
    var replayed: (steps: Int64, skipped: Int64)?

    var verdict: String { problems.isEmpty ? "sound" : "damaged" }

    var rows: [[String]] {
        var rows = counts.map { [$0.name, "\($0.value)"] }
        if isCopy { rows.append(["copy", "not opened by a server yet"]) }
        if let replayed {
            rows.append(["replayed", "\(replayed.steps)"])
            rows.append(["not replayed", "\(replayed.skipped)"])
        }
        return rows
    }

    func text(_ divergence: Replay.Divergence) -> String {
        let version = versions[divergence.instance.text].map { "  (stored by version \($0))" } ?? ""
        return "\(divergence.instance) v\(divergence.version)  \(divergence.what)\(version)"
    }

    var json: [UInt8] {
        var object: JSONObject = [
            "file": .string(file), "sound": .bool(problems.isEmpty), "copy": .bool(isCopy),
        ]
        for (name, value) in counts { object[name] = .integer(value) }
        object["problems"] = .array(problems.map(JSONValue.string))
        if let replayed {
            object["replayed"] = .integer(replayed.steps)
            object["not_replayed"] = .integer(replayed.skipped)
            object["differences"] = .array(
                divergences.map { divergence in
                    var item: JSONObject = [
                        "to": .string(divergence.instance.text), "v": .integer(divergence.version),
                        "journal_step": .integer(divergence.sequence),
                        "what": .string(divergence.what),
                    ]
                    if let version = versions[divergence.instance.text] {
                        item["definition_version"] = .string(version)
                    }
                    return .object(item)
                })
        }
        return JSONValue.object(object).serialized()
    }
}
