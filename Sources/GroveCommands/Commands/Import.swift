import ArgumentParser
import GroveClient
import GroveWire
import OrderedJSON

struct Import: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Create instances from the lines of 'grove export', or turn a chart of SCXML or "
            + "XState into a definition.",
        discussion: """
            A file .scxml or .xml is a document of SCXML 1.0, a file .json a machine of XState 5, \
            unless its first line is an instance's. No server is needed: the definition is \
            printed, or written to --output. Parts that can't be imported are reported with line \
            and column. Warnings are worth a look; with an error nothing is written.

              grove import door.scxml --output door.json
              grove import door.xstate.json

            Every other file has the lines of 'grove export'. \
            Each instance gets the state and the version of its line and continues from there. A \
            state of an earlier version of its machine is migrated; a state of a later version is \
            broken. Its history begins there: the history lines of 'grove export --history' are \
            ignored. A second run changes nothing, even if there were events since.

              grove import orders.jsonl
              grove import all.jsonl --dry-run
              grove export --data old.db | grove import - --skip-broken

            First the command and the server check all lines, and nothing is changed. The \
            instances are created only if no line is broken, or with --skip-broken, and if no \
            instance exists in another state, or with --on-conflict skip. With '-' the lines of \
            standard input are kept in memory until then.

            Exit codes: 0 done, 1 instances exist already (nothing was changed), 65 lines are \
            broken (nothing was changed) or a chart can't be imported, 66 there is no such file, \
            73 the file of --output exists already.
            """)

    /// The treatment of instances that exist in another state.
    enum Conflict: String, ExpressibleByArgument, CaseIterable { case fail, skip }

    @Argument(
        help: "A file of lines, or - for standard input; or a chart, .scxml, .xml or .json.",
        completion: .file())
    var file: String
    @Flag(help: "Only check everything, and show what would be created.") var dryRun = false
    @Option(
        help: ArgumentHelp("Write a chart's definition to this file.", valueName: "file"),
        completion: .file())
    var output: String?
    @Flag(help: "Replace the file of --output if it exists.") var force = false
    @Flag(help: "Skip broken lines.") var skipBroken = false
    @Option(help: "Fail if instances exist in another state, or skip them.")
    var onConflict = Conflict.fail
    @OptionGroup var connection: ConnectionFlags

    func run() async throws {
        guard let chart = try ImportedChart(path: file, format) else {
            guard output == nil else {
                throw ValidationError("--output is for charts: files .scxml, .xml or .json.")
            }
            return try await connectAndRun()
        }
        guard !skipBroken else { throw ValidationError("--skip-broken is for files of lines.") }
        try chart.write(to: output, replaces: force, isTrial: dryRun, format)
    }

    func run(with client: Client) async throws {
        let source = LineSource(file, format)
        var checked = Checked()
        try await check(source, client, &checked)
        report(checked)
        if !checked.broken.isEmpty, !skipBroken { throw ExitCode.dataError }
        if !checked.conflicts.isEmpty, onConflict == .fail { throw ExitCode.refused }
        if dryRun { return try show(checked, made: checked.new, "would be made") }
        let made = try await create(source, client, skipping: checked.skipped)
        try show(checked, made: made, "made")
    }

    /// The result of checking all lines.
    private struct Checked {
        /// The numbers of broken lines, and their errors.
        var broken: [(line: Int, reason: String)] = []
        /// Lines whose instances exist in another state.
        var conflicts: [(line: Int, reason: String)] = []
        var new = 0
        var present = 0
        var withEffects = 0
        /// Lines with steps of a history.
        var steps = 0

        var skipped: Set<Int> { Set(broken.map(\.line) + conflicts.map(\.line)) }
    }

    /// Reads all lines and lets the server check them, without changing anything.
    private func check(
        _ source: LineSource, _ client: Client, _ checked: inout Checked
    ) async throws {
        var progress = ProgressLine("checking, lines", format.noteStyle)
        defer { progress.finish() }
        var names: [String: Int] = [:]
        let read = try source.reader()
        var number = 0
        try await Pipeline.run(on: client, timeout: connection.patience) {
            () throws -> (Int, Request)? in
            while let line = try read() {
                number += 1
                if ImportLine.isEmpty(line) { continue }
                do throws(ValidationError) {
                    guard let item = try ImportLine.read(line) else {
                        checked.steps += 1
                        continue
                    }
                    if let first = names.updateValue(number, forKey: item.name) {
                        throw ValidationError("\(item.name) stands in line \(first) too")
                    }
                    if item.effects > 0 { checked.withEffects += 1 }
                    return (number, item.request(isTrial: true))
                } catch {
                    checked.broken.append((number, error.message))
                }
            }
            return nil
        } done: { (line: Int, outcome) in
            progress.show(Int64(line), of: nil)
            try add(outcome, line: line, to: &checked)
        }
        // The errors of lines and of replies come in their own orders.
        checked.broken.sort { $0.line < $1.line }
    }

    /// Counts the server's verdict on a line.
    ///
    /// - Throws: A `ClientError` that isn't about the line.
    private func add(
        _ outcome: Result<Reply, ClientError>, line: Int, to checked: inout Checked
    ) throws(ClientError) {
        do throws(ClientError) {
            let isNew = try ImportReply(try outcome.get()).isNew
            if isNew { checked.new += 1 } else { checked.present += 1 }
        } catch {
            let reason = "\(error.code): \(error.message)"
            switch error.known {
            case .alreadyExists, .dedupMismatch: checked.conflicts.append((line, reason))
            case .badRequest, .noSuchMachine, .stateTooLarge:
                checked.broken.append((line, reason))
            default:
                guard case .invalidRequest(let reason) = error else { throw error }
                checked.broken.append((line, reason))
            }
        }
    }

    /// Creates the instances; returns their number.
    private func create(
        _ source: LineSource, _ client: Client, skipping skipped: Set<Int>
    ) async throws -> Int {
        var progress = ProgressLine("importing, lines", format.noteStyle)
        defer { progress.finish() }
        let read = try source.reader()
        var number = 0
        var made = 0
        do {
            try await Pipeline.run(on: client, timeout: connection.patience) {
                () throws -> (Int, Request)? in
                while let line = try read() {
                    number += 1
                    if ImportLine.isEmpty(line) || skipped.contains(number) { continue }
                    do throws(ValidationError) {
                        guard let item = try ImportLine.read(line) else { continue }
                        return (number, item.request(isTrial: false))
                    } catch {
                        throw ClientError.invalidRequest("line \(number) has changed meanwhile")
                    }
                }
                return nil
            } done: { (line: Int, outcome) in
                if try ImportReply(try outcome.get()).isNew { made += 1 }
                progress.show(Int64(line), of: nil)
            }
        } catch {
            progress.finish()
            Output.note("\(made) instances were made before this; the same import can be repeated")
            throw error
        }
        return made
    }

    private func report(_ checked: Checked) {
        let style = format.noteStyle
        func list(_ found: [(line: Int, reason: String)], _ tone: Style.Tone) {
            for (line, reason) in found.prefix(Import.reportedMax) {
                Output.note(style.paint("line \(line):", tone) + " " + style.safe(reason))
            }
            if found.count > Import.reportedMax {
                Output.note("and \(found.count - Import.reportedMax) more")
            }
        }
        list(checked.broken, .bad)
        list(checked.conflicts, .accent)
        if !checked.broken.isEmpty, !skipBroken {
            refuse(
                checked.broken, .dataError, "lines are broken; nothing was changed",
                wayOut: "--skip-broken leaves them out")
        } else if !checked.conflicts.isEmpty, onConflict == .fail {
            refuse(
                checked.conflicts, .refused,
                "instances are there already in another state; nothing was changed",
                wayOut: "--on-conflict skip leaves them as they are")
        }
        if checked.withEffects > 0 {
            Output.note(
                "\(checked.withEffects) instances had timers or effects, which don't come with "
                    + "them; 'grove backup' moves those")
        }
    }

    /// Says why nothing is imported: for people, and with `--json` for programs.
    private func refuse(
        _ found: [(line: Int, reason: String)], _ code: ExitCode, _ reason: String,
        wayOut: String
    ) {
        let message = "\(found.count) \(reason)"
        Output.note("\(message). \(wayOut)")
        format.showFailure(code, message, lines: Array(found.prefix(Import.reportedMax)))
    }

    private func show(_ checked: Checked, made: Int, _ words: String) throws {
        let counts: [(name: String, words: String, count: Int)] = [
            ("made", words, made), ("present", "there already", checked.present),
            ("conflicts", "there in another state, skipped", checked.conflicts.count),
            ("broken", "broken, skipped", checked.broken.count),
            ("history", "steps of history, passed over", checked.steps),
        ]
        if format.json {
            var object = JSONObject()
            for count in counts { object[count.name] = .integer(Int64(count.count)) }
            object["dry_run"] = .bool(dryRun)
            return try Output.line(JSONValue.object(object).serialized())
        }
        let rows = counts.filter { $0.count > 0 || $0.name == "made" }
            .map { ["\($0.count)", $0.words] }
        try format.table(rows, under: [.init("", .strong)], hasHeader: false)
    }
}
