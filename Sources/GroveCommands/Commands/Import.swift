import ArgumentParser
import GroveClient
import OrderedJSON

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `grove import`
struct Import: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make instances from lines that 'grove export' has written.",
        discussion: """
            Each instance gets the state and the version that its line says, and goes on from \
            there. A state that an earlier version of its machine has stored is migrated; one of a \
            later version is broken. Its history begins there: lines of history, as 'grove export \
            --history' writes them, are passed over. A second run changes nothing, also when there \
            were events since.

              grove import orders.jsonl
              grove import all.jsonl --dry-run
              grove export --data old.db | grove import - --skip-broken

            First all lines are checked, here and by the server, and nothing is changed. Only when \
            none is broken, or --skip-broken is given, and no instance is there already in another \
            state, or --on-conflict skip is given, the instances are made. With '-' the lines of \
            standard input are kept in memory until then.

            Exit codes: 0 done, 1 instances are there already (nothing was changed), 65 lines are \
            broken (nothing was changed), 66 there is no such file.
            """)

    /// What to do about instances that are there in another state.
    enum Conflict: String, ExpressibleByArgument, CaseIterable { case fail, skip }

    @Argument(help: "A file of lines, or - for standard input.", completion: .file())
    var file: String
    @Flag(help: "Only check everything, and say what would be done.") var dryRun = false
    @Flag(help: "Leave out lines that are broken.") var skipBroken = false
    @Option(help: "What to do if instances are there in another state: fail, or skip them.")
    var onConflict = Conflict.fail
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    /// How many broken lines and conflicts are told one by one.
    private static let toldMax = 100

    func run(with client: Client) async throws {
        let source = LineSource(file)
        var checked = Checked()
        try await check(source, client, &checked)
        tell(checked)
        if !checked.broken.isEmpty, !skipBroken { throw ExitCode(EX_DATAERR) }
        if !checked.conflicts.isEmpty, onConflict == .fail { throw ExitCode(1) }
        if dryRun { return try show(checked, made: checked.new, "would be made") }
        let made = try await perform(source, client, leavingOut: checked.leftOut)
        try show(checked, made: made, "made")
    }

    /// What the first round has found.
    private struct Checked {
        /// Numbers of lines, and what is wrong with them.
        var broken: [(line: Int, reason: String)] = []
        /// Lines whose instances are there in another state.
        var conflicts: [(line: Int, reason: String)] = []
        var new = 0
        var present = 0
        var withEffects = 0
        /// Lines that tell of history.
        var steps = 0

        var leftOut: Set<Int> { Set(broken.map(\.line) + conflicts.map(\.line)) }
    }

    /// Reads all lines and has the server try them, without changing anything.
    private func check(
        _ source: LineSource, _ client: Client, _ checked: inout Checked
    ) async throws {
        var progress = ProgressLine("checking, lines", format.noteStyle)
        defer { progress.finish() }
        var names: [String: Int] = [:]
        let read = try source.reader()
        var number = 0
        // What is wrong with a line is found while others are under way.
        var broken: [(line: Int, reason: String)] = []
        try await Pipeline.run(on: client, timeout: connection.patience) {
            () throws -> (Int, Request)? in
            while let line = try read() {
                number += 1
                if ImportLine.isEmpty(line) { continue }
                do throws(ImportLine.Broken) {
                    guard let item = try ImportLine.read(line) else {
                        checked.steps += 1
                        continue
                    }
                    if let first = names.updateValue(number, forKey: item.name) {
                        throw ImportLine.Broken("\(item.name) stands in line \(first) too")
                    }
                    if item.effects > 0 { checked.withEffects += 1 }
                    return (number, item.request(isTrial: true))
                } catch {
                    broken.append((number, error.reason))
                }
            }
            return nil
        } done: { (line: Int, outcome) in
            progress.show(Int64(line), of: nil)
            switch try Verdict(outcome) {
            case .new: checked.new += 1
            case .present: checked.present += 1
            case .broken(let reason): checked.broken.append((line, reason))
            case .conflict(let reason): checked.conflicts.append((line, reason))
            }
        }
        checked.broken = (checked.broken + broken).sorted { $0.line < $1.line }
    }

    /// What the server says to a line.
    private enum Verdict {
        case new
        case present
        case broken(String)
        case conflict(String)

        /// - Throws: a `ClientError` that is about the server, and not about the line.
        init(_ outcome: Result<Reply, ClientError>) throws {
            switch outcome {
            case .success(let reply):
                self = try ImportReply(reply).isNew ? .new : .present
            case .failure(.server(let error))
            where ["ALREADY_EXISTS", "DEDUP_MISMATCH"].contains(error.code):
                self = .conflict("\(error.code): \(error.message)")
            case .failure(.server(let error))
            where ["BAD_REQUEST", "NO_SUCH_MACHINE", "STATE_TOO_LARGE"].contains(error.code):
                self = .broken("\(error.code): \(error.message)")
            case .failure(.invalidRequest(let reason)): self = .broken(reason)
            case .failure(let error): throw error
            }
        }
    }

    /// Makes the instances; how many.
    private func perform(
        _ source: LineSource, _ client: Client, leavingOut leftOut: Set<Int>
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
                    if ImportLine.isEmpty(line) || leftOut.contains(number) { continue }
                    do throws(ImportLine.Broken) {
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

    private func tell(_ checked: Checked) {
        let style = format.noteStyle
        func list(_ found: [(line: Int, reason: String)], _ tone: Style.Tone) {
            for (line, reason) in found.prefix(Import.toldMax) {
                Output.note(style.paint("line \(line):", tone) + " " + style.safe(reason))
            }
            if found.count > Import.toldMax {
                Output.note("and \(found.count - Import.toldMax) more")
            }
        }
        list(checked.broken, .bad)
        list(checked.conflicts, .accent)
        if !checked.broken.isEmpty, !skipBroken {
            Output.note(
                "\(checked.broken.count) lines are broken; nothing was changed. --skip-broken "
                    + "leaves them out")
        } else if !checked.conflicts.isEmpty, onConflict == .fail {
            Output.note(
                "\(checked.conflicts.count) instances are there already in another state; nothing "
                    + "was changed. --on-conflict skip leaves them as they are")
        }
        if checked.withEffects > 0 {
            Output.note(
                "\(checked.withEffects) instances had timers or effects, which don't come with "
                    + "them; 'grove backup' moves those")
        }
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
