import ArgumentParser
import GroveClient
import GroveEngine
import GroveStorage
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

            History, dedup keys, timers and effects are not in it: 'grove backup' moves those. How \
            many instances have live effects is said on standard error.
            """)

    @Option(help: "Only instances of this machine.", completion: NameCompletion.machines)
    var machine: String?
    @Option(help: "Only instances whose name, behind the slash, begins like this.")
    var prefix: String?
    @Option(
        help: ArgumentHelp("Read this data file instead of asking a server.", valueName: "file"),
        completion: .file())
    var data: String?
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
        private var progress: ProgressLine

        init(_ style: Style) { progress = ProgressLine("exporting, instances", style) }

        mutating func write(_ line: ExportLine) throws {
            try Output.line(line.text)
            count += 1
            if line.effects > 0 { withEffects += 1 }
            progress.show(count, of: nil)
        }

        mutating func finish() {
            progress.finish()
            guard withEffects > 0 else { return }
            Output.note(
                "\(withEffects) of \(count) instances have timers or effects, which an export "
                    + "doesn't carry; 'grove backup' does")
        }
    }

    private func readServer(_ client: Client, _ tally: inout Tally) async throws {
        let filter = ListFilter(machine: machine, prefix: prefix)
        var position: String?
        repeat {
            let page = try await client.list(filter, after: position, limit: 1_000)
            var names = page.items.map(\.name)[...]
            try await Pipeline.run(on: client, timeout: connection.patience) {
                names.popFirst().map { ($0, GroveClient.Request.about($0, "get")) }
            } done: { name, outcome in
                switch outcome {
                case .success(let reply): try tally.write(try ExportLine(name, reply))
                // Deleted since it was listed.
                case .failure(.server(let error)) where error.code == "NO_SUCH_INSTANCE": break
                case .failure(let error): throw error
                }
            }
            position = page.next
        } while position != nil
    }

    private func readFile(_ path: String, _ tally: inout Tally) throws {
        do {
            let store = try SQLiteStore.inspect(path: path)
            // Nothing is written, so nothing can go wrong.
            defer { try? store.close() }
            let start = machine.map { "\($0)/\(prefix ?? "")" } ?? ""
            var position: String?
            while true {
                let page = try store.instances(prefix: start, after: position, limit: 256)
                for instance in page { try tally.write(ExportLine(instance)) }
                position = page.last?.name.text
                if page.count < 256 { return }
            }
        } catch let error as StoreOpenError {
            Output.note("error: \(error)")
            if case .unusablePath = error { throw ExitCode(EX_NOINPUT) }
            throw ExitCode(error.exitCode)
        } catch let error as StoreError {
            Output.note("error: \(error)")
            if case .corrupt = error { throw ExitCode(EX_DATAERR) }
            throw ExitCode(EX_IOERR)
        }
    }
}

/// One instance as a line.
struct ExportLine {
    /// The JSON object.
    let text: [UInt8]
    /// How many live effects the instance has.
    let effects: Int64

    /// The line of a server's answer to `get`.
    init(_ name: String, _ reply: GroveClient.Reply) throws(ClientError) {
        let instance = try InstanceReply(reply)
        guard let state = reply.node("state") else {
            throw .protocolViolation("an instance without a state")
        }
        let definition = reply.value("definition")
        effects = Int64(instance.timers.count + instance.effects.count)
        text = ExportLine.text(
            name, instance.version, reply.document.text(state), isDone: instance.isDone,
            result: reply.node("result").map(reply.document.text),
            definition: definition?["version"]?.string ?? "", effects: effects)
    }

    /// The line of an instance in a data file.
    init(_ instance: StoredInstance) {
        effects = instance.effectCount
        text = ExportLine.text(
            instance.name.text, instance.version, instance.state, isDone: instance.isDone,
            result: instance.result, definition: instance.definitionVersion, effects: effects)
    }

    private static func text(
        _ name: String, _ version: Int64, _ state: some Collection<UInt8>, isDone: Bool,
        result: (some Collection<UInt8>)?, definition: String, effects: Int64
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.literal(#"{"to":"#)
        writer.string(name)
        writer.literal(#","v":"#)
        writer.integer(version)
        writer.literal(#","state":"#)
        writer.raw(state)
        writer.literal(#","done":"#)
        writer.bool(isDone)
        if let result {
            writer.literal(#","result":"#)
            writer.raw(result)
        }
        writer.literal(#","definition":{"name":"#)
        writer.string(name.split(separator: "/").first.map(String.init) ?? "")
        writer.literal(#","version":"#)
        writer.string(definition)
        writer.literal("}")
        if effects > 0 {
            writer.literal(#","effects":"#)
            writer.integer(effects)
        }
        writer.literal("} ")
        writer.bytes.removeLast()
        return writer.bytes
    }
}
