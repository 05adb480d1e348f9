import ArgumentParser
import GroveClient
import GroveEngine
import GroveStorage
import GroveWire
import OrderedJSON

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `grove export`
struct Export: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write instances as lines of JSON, for 'grove import' or anything else.",
        discussion: """
            One line an instance: to, v, state, done, result if there is one, definition, and \
            effects, the number of its live effects, if there are any. Each line is of one moment; \
            the lines are not of the same one while events come in. With --data the lines come \
            from a data file that no server has open, and nothing of it is changed.

              grove export > all.jsonl
              grove export --machine order --prefix 2026- > orders.jsonl
              grove export --data /backup/grove.db > all.jsonl
              grove export --history --machine order > orders-and-steps.jsonl

            With --history each instance's line is followed by its steps, up to the line's version \
            and as far as they are held: history (the instance), v, event, outputs, state where \
            it changed, at, and dedup. They are there to be read: 'grove import' passes over them.

            Dedup keys, timers and effects are not in it, nor is a history that could go on \
            elsewhere: 'grove backup' moves those. How many instances have live effects, and how \
            many lack the beginning of their history, is said on standard error.
            """)

    @Option(help: "Only instances of this machine.", completion: NameCompletion.machines)
    var machine: String?
    @Option(help: "Only instances whose name, behind the slash, begins like this.")
    var prefix: String?
    @Option(
        help: ArgumentHelp("Read this data file instead of asking a server.", valueName: "file"),
        completion: .file())
    var data: String?
    @Flag(help: "Write the steps of each instance too.") var history = false
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if data != nil, connection.server != nil {
            throw ValidationError("Choose --data or --server.")
        }
        if prefix != nil, machine == nil {
            throw ValidationError("--prefix needs --machine.")
        }
    }

    func run() async throws {
        var tally = Tally(format.noteStyle)
        defer { tally.finish() }
        if let data { return try readFile(data, &tally) }
        let client = Client(options: try connection.clientOptions())
        do {
            try await readServer(client, &tally)
        } catch let error as ClientError {
            try report(error)
            throw Failures.exitCode(error)
        }
    }

    func run(with client: Client) async throws {}

    /// What was written, and what people are told of it.
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

    /// What is asked of an instance: all of them its line, then perhaps its steps.
    private enum Question {
        case line(String)
        case steps(String)
    }

    private func readServer(_ client: Client, _ tally: inout Tally) async throws {
        let filter = ListFilter(machine: machine, prefix: prefix)
        var position: String?
        // The line whose steps are to come.
        var line: ExportLine?
        repeat {
            let page = try await client.list(filter, after: position, limit: 1_000)
            var questions = page.items.flatMap { item in
                history ? [Question.line(item.name), .steps(item.name)] : [.line(item.name)]
            }[...]
            // Answers to the second question may be long.
            let windowMax = history ? 16 : Pipeline.windowMax
            try await Pipeline.run(on: client, window: windowMax, timeout: connection.patience) {
                questions.popFirst().map { ($0, request($0)) }
            } done: { (question: Question, outcome) in
                let reply: GroveClient.Reply
                switch outcome {
                case .success(let answer): reply = answer
                // Deleted since it was listed.
                case .failure(.server(let error)) where error.known == .noSuchInstance:
                    line = nil
                    return
                case .failure(let error): throw error
                }
                switch question {
                case .line(let name):
                    line = try ExportLine(name, reply)
                    if let line, !history { try tally.write(line) }
                case .steps:
                    guard let whole = line else { return }
                    line = nil
                    try tally.write(whole)
                    try await writeSteps(of: whole, beginning: reply, client, &tally)
                }
            }
            position = page.next
        } while position != nil
    }

    private func request(_ question: Question) -> GroveClient.Request {
        switch question {
        case .line(let name): return GroveClient.Request.about(name, .get)
        case .steps(let name):
            var request = GroveClient.Request.about(name, .history)
            request.set("limit", .integer(Int64(Export.stepsMax)))
            return request
        }
    }

    /// Steps that are asked for at a time.
    private static let stepsMax = 1_000

    private func writeSteps(
        of line: ExportLine, beginning reply: GroveClient.Reply, _ client: Client,
        _ tally: inout Tally
    ) async throws {
        var steps = try ExportSteps(of: line, reply.document, isFirst: true)
        try tally.write(steps)
        while let next = steps.next {
            do throws(ClientError) {
                let page = try await client.history(
                    of: line.name, after: next, limit: Export.stepsMax)
                steps = try ExportSteps(of: line, page.reply.document, isFirst: false)
            } catch {
                // Deleted meanwhile: what was written of it was true.
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
            // Nothing is written, so nothing can go wrong.
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
            Output.note("error: \(format.noteStyle.safe("\(error)"))")
            if case .unusablePath = error { throw ExitCode(EX_NOINPUT) }
            throw ExitCode(error.exitCode)
        } catch let error as StoreError {
            Output.note("error: \(format.noteStyle.safe("\(error)"))")
            if case .corrupt = error { throw ExitCode(EX_DATAERR) }
            throw ExitCode(EX_IOERR)
        }
    }

    private func writeSteps(
        of line: ExportLine, _ instance: StoredInstance, _ store: SQLiteStore, _ tally: inout Tally
    ) throws {
        var next: Int64? = 0
        while let after = next {
            let history = GroveEngine.History(
                to: instance.name, after: after, limit: Export.stepsMax)
            let steps = try ExportSteps(
                of: line, try history.read(of: instance, in: store), in: store,
                isFirst: after == 0)
            try tally.write(steps)
            next = steps.next
        }
    }
}
