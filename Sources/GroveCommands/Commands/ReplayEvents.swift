import ArgumentParser
import GroveClient
import GroveEngine
import GroveServer
import GroveStorage
import Statecharts
import Transducers

/// `grove replay`.
struct ReplayEvents<Application: GroveApplication>: ClientCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "replay",
            abstract: "Run the stored events of instances against another version of a machine.",
            discussion: """
                Shows which instances would end in another state, refuse an event that was \
                accepted, or say another output, each with its first difference. Nothing is \
                changed, and no effect runs. Each step has its time, version and random number of \
                then.

                  grove replay --with order.json /backup/grove.db
                  grove replay --with order.json --server localhost:7400
                  grove replay /backup/grove.db --machine order --json

                --with names a definition, which takes the place of every version of the machine \
                with its id; only this machine is replayed. Without --with, the machines of this \
                program and the newest versions in the data are tried. A state is the same if its \
                JSON is, or if 'grove migrate' would make it from the stored one.

                Reads a data file that no server has open, or else a copy that the server at \
                --server makes, in $TMPDIR or /var/tmp. Effects aren't compared, and events that \
                were refused then aren't stored. Needs memory in proportion to the number of \
                instances.

                Exit codes: 0 all are the same, 1 instances differ, or there is none to replay, 65 \
                a definition has errors, or the data is damaged, 66 there is no such file, 73 a \
                server has the data file open, 74 it can't be read.
                """)
    }

    @Argument(help: "The data file; by default the data of a server.", completion: .file())
    var data: String?
    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A definition in JSON to try; may be repeated.", valueName: "file"),
        completion: .file())
    var files: [String] = []
    @Option(help: "Only instances of this machine.", completion: NameCompletion.machines)
    var machine: String?
    @Option(
        help: ArgumentHelp(
            "Only this instance: MACHINE/INSTANCE.", valueName: "machine/instance"),
        completion: NameCompletion.instances)
    var instance: String?
    @Option(help: "The number of instances whose first differences are shown, to 10000.")
    var limit = 100
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if data != nil, connection.server != nil {
            throw ValidationError("Choose a data file or --server.")
        }
        if machine != nil, instance != nil {
            throw ValidationError("Choose --machine or --instance.")
        }
        if let instance, InstanceName(instance) == nil {
            throw ValidationError("--instance is MACHINE/INSTANCE.")
        }
        if !(0...ReplayReport.shownMax).contains(limit) {
            throw ValidationError("--limit is from 0 to \(ReplayReport.shownMax).")
        }
    }

    func run() async throws {
        guard let data else { return try await connectAndRun() }
        let families = try readFamilies()
        let store: SQLiteStore
        do throws(StoreOpenError) {
            store = try SQLiteStore.inspect(path: data)
        } catch {
            throw error.report(
                format, copyTo: "replay that, or name the server with --server")
        }
        try replay(store, families)
    }

    func run(with client: Client) async throws {
        // A faulty definition should not be noticed after a copy of all data.
        let families = try readFamilies()
        let store: SQLiteStore
        do {
            store = try await FetchedData.open(from: client, format)
        } catch let error as StoreOpenError {
            throw error.report(format)
        }
        await client.close()
        try replay(store, families)
    }

    /// The definitions of `--with`: for each file its machine, then the parts of that.
    private func readFamilies() throws -> [[Definition]] {
        var families: [[Definition]] = []
        for file in files {
            let bytes = try InputFile.read(file, bytesMax: ChartLimits.definitionBytesMax, format)
            switch ChartCompiler.compile(bytes) {
            case .refused(let problems):
                let errors = problems.filter(\.isError).map {
                    "\(file): \($0.path): \($0.message)"
                }
                for error in errors { Output.note(format.noteStyle.safe(error)) }
                format.showFailure(.dataError, errors.first ?? file)
                throw ExitCode.dataError
            case .definitions(let family, _):
                let known = Set(families.flatMap(\.self).map(\.name))
                if let twice = family.first(where: { known.contains($0.name) }) {
                    throw ValidationError("Two files of --with define machine '\(twice.name)'.")
                }
                families.append(family)
            }
        }
        return families
    }

    private func replay(_ store: SQLiteStore, _ families: [[Definition]]) throws {
        // Nothing is written, so closing can't lose anything.
        defer { try? store.close() }
        var run = ReplayRun(
            catalogue: Application.catalogue(over: store), families: families, limit: limit,
            machine: machine, instance: instance)
        do throws(StoreError) {
            var progress = ProgressLine("replaying, journal steps", format.noteStyle)
            defer { progress.finish() }
            try run.read(store) { progress.show($0, of: store.head) }
        } catch {
            throw format.failure(ExitCode(ServerExitCode(error).rawValue), "\(error)")
        }
        let report = run.report
        for family in families {
            guard let name = family.first?.name, !run.machines.contains(name) else { continue }
            Output.note(
                format.noteStyle.safe(
                    "error: the data has no instance of machine \(name)"
                        + (machine ?? instance == nil ? "" : " among the selected ones")))
        }
        if families.isEmpty, report.instances == 0 {
            let isSelected = machine ?? instance != nil
            Output.note("error: the data has no " + (isSelected ? "such instance" : "instances"))
        }
        try report.write(format)
        let isEmpty = report.instances == report.notReplayed
        let isMissing = families.contains { !run.machines.contains($0.first?.name ?? "") }
        if report.hasDifferences || isEmpty || isMissing { throw ExitCode.refused }
    }
}
