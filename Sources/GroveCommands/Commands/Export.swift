import ArgumentParser
import GroveClient
import GroveEngine
import GroveServer
import GroveStorage
import GroveWire
import OrderedJSON

struct Export: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write instances as lines of JSON, for 'grove import' or other programs.",
        discussion: """
            One line per instance: to, v, state, done, result if there is one, definition, and \
            effects, the number of its live effects, if there are any. Each line shows one moment, \
            but while events arrive not all lines show the same moment. With --data reads a data \
            file that no server has open, and changes nothing in it.

              grove export > all.jsonl
              grove export --machine order --prefix 2026- > orders.jsonl
              grove export --data /backup/grove.db > all.jsonl
              grove export --history --machine order > orders-and-steps.jsonl

            With --history each instance's line is followed by its steps up to the line's version, \
            as far as the journal holds them: history (the instance), v, event, outputs, state if \
            it changed, at, and dedup. 'grove import' ignores these lines.

            An export has no dedup keys, timers, effects or importable history: 'grove backup' \
            moves these. Standard error has the number of instances with live effects, and of \
            instances without the beginning of their history.
            """)

    @Option(help: "Only instances of this machine.", completion: NameCompletion.machines)
    var machine: String?
    @Option(help: "Only instances whose name, after the slash, begins like this.")
    var prefix: String?
    @Option(
        help: ArgumentHelp("Read this data file instead of a server's.", valueName: "file"),
        completion: .file())
    var data: String?
    @Flag(help: "Write the steps of each instance too.") var history = false
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if data != nil, connection.server != nil {
            throw ValidationError("Choose --data or --server.")
        }
        if prefix != nil, machine == nil {
            throw ValidationError("--prefix needs --machine.")
        }
    }

    func run() async throws {
        guard let data else { return try await connectAndRun() }
        var tally = Tally(format.noteStyle)
        defer { tally.finish() }
        try readFile(data, &tally)
    }

    func run(with client: Client) async throws {
        var tally = Tally(format.noteStyle)
        defer { tally.finish() }
        try await readServer(client, &tally)
    }

    /// Writes and counts lines, and shows the progress.
    private struct Tally {
        private(set) var count: Int64 = 0
        private var withEffects = 0
        private var withoutBegin = 0
        private var progress: ProgressLine

        init(_ style: Style) { progress = ProgressLine("exporting, instances", style) }

        mutating func write(_ line: ExportLine) throws {
            try Output.line(line.text)
            count += 1
            if line.effects > 0 { withEffects += 1 }
            progress.show(count, of: nil)
        }

        mutating func write(_ steps: ExportSteps) throws {
            for line in steps.lines { try Output.line(line) }
            if steps.lacksBegin { withoutBegin += 1 }
        }

        mutating func finish() {
            progress.finish()
            if withEffects > 0 {
                Output.note(
                    "\(withEffects) of \(count) instances have timers or effects, which an export "
                        + "doesn't carry; 'grove backup' does")
            }
            if withoutBegin > 0 {
                Output.note(
                    "of \(withoutBegin) of \(count) instances the first steps aren't held: the "
                        + "journal was cut, or they were imported")
            }
        }
    }

    // MARK: From a server

    private func readServer(_ client: Client, _ tally: inout Tally) async throws {
        let filter = ListFilter(machine: machine, prefix: prefix)
        var position: String?
        // The line whose steps come next.
        var line: ExportLine?
        repeat {
            let page = try await client.list(filter, after: position, limit: 1_000)
            // For each instance its line, then perhaps its steps.
            var requests = page.items.flatMap { item in
                (history ? [false, true] : [false]).map { (name: item.name, wantsSteps: $0) }
            }[...]
            let window = history ? Export.historyRequestsMax : Pipeline.requestsMax
            try await Pipeline.run(on: client, window: window, timeout: connection.patience) {
                requests.popFirst().map { ($0, request($0.name, wantsSteps: $0.wantsSteps)) }
            } done: { (asked: (name: String, wantsSteps: Bool), outcome) in
                let reply: GroveClient.Reply
                switch outcome {
                case .success(let answer): reply = answer
                // Deleted since it was listed.
                case .failure(.server(let error)) where error.known == .noSuchInstance:
                    line = nil
                    return
                case .failure(let error): throw error
                }
                guard asked.wantsSteps else {
                    line = try ExportLine(asked.name, reply)
                    if let line, !history { try tally.write(line) }
                    return
                }
                guard let whole = line else { return }
                line = nil
                try tally.write(whole)
                try await writeSteps(of: whole, beginning: reply, client, &tally)
            }
            position = page.next
        } while position != nil
    }

    private func request(_ name: String, wantsSteps: Bool) -> GroveClient.Request {
        guard wantsSteps else { return GroveClient.Request.about(name, .get) }
        var request = GroveClient.Request.about(name, .history)
        request.set("limit", .integer(Int64(Export.stepsPerTurn)))
        return request
    }

    private func writeSteps(
        of line: ExportLine, beginning reply: GroveClient.Reply, _ client: Client,
        _ tally: inout Tally
    ) async throws {
        var steps = try ExportSteps(of: line, reply.document, isFirst: true)
        try tally.write(steps)
        while let next = steps.next {
            do throws(ClientError) {
                let page = try await client.history(
                    of: line.name, after: next, limit: Export.stepsPerTurn)
                steps = try ExportSteps(of: line, page.reply.document, isFirst: false)
            } catch {
                // Deleted meanwhile: the lines so far were right.
                if error.known == .noSuchInstance { return }
                throw error
            }
            try tally.write(steps)
        }
    }

    // MARK: From a file

    private func readFile(_ path: String, _ tally: inout Tally) throws {
        do {
            let store = try SQLiteStore.inspect(path: path)
            // Nothing is written, so closing can't lose anything.
            defer { try? store.close() }
            let start = machine.map { "\($0)/\(prefix ?? "")" } ?? ""
            var position: String?
            while true {
                let page = try store.instances(prefix: start, after: position, limit: 256)
                for instance in page {
                    let line = ExportLine(instance)
                    try tally.write(line)
                    if history { try writeSteps(of: line, instance, store, &tally) }
                }
                position = page.last?.name.text
                if page.count < 256 { return }
            }
        } catch let error as StoreOpenError {
            throw error.report(format)
        } catch let error as StoreError {
            throw format.failure(ExitCode(ServerExitCode(error).rawValue), "\(error)")
        }
    }

    private func writeSteps(
        of line: ExportLine, _ instance: StoredInstance, _ store: SQLiteStore, _ tally: inout Tally
    ) throws {
        var next: Int64? = 0
        while let after = next {
            let history = GroveEngine.History(
                to: instance.name, after: after, limit: Export.stepsPerTurn)
            let steps = try ExportSteps(
                of: line, try history.read(of: instance, in: store), in: store,
                isFirst: after == 0)
            try tally.write(steps)
            next = steps.next
        }
    }
}
