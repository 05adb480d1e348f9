import ArgumentParser
import GroveClient
import OrderedJSON

struct Migrate: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give instances of a machine as data another version of its definition.",
        discussion: """
            With the name of an instance migrates it, with the name of a machine all its instances \
            that aren't done and have an earlier version. First each instance is tried, and \
            nothing is changed if one can't be migrated, or only the others with --skip-failing.

            States and members of the context that have the same name stay. --plan is a file with \
            what changes: {"states":{"paying":"billing"},"context":{"due":"context.total - \
            context.paid"}}; without it, the member "migrates" of the new definition counts. No \
            actions run. Timers and invocations of states that stay go on.

              grove migrate order/o-1 --dry-run
              grove migrate order --from 1.0.0 --plan plan.json

            Exit codes: 0 done, 1 instances can't be migrated, 65 the plan is no JSON, 66 there is \
            no such file.
            """)

    @Argument(
        help: "The instance, MACHINE/INSTANCE, or a whole MACHINE.",
        completion: NameCompletion.instances)
    var to: String
    @Option(
        name: .customLong("version"),
        help: ArgumentHelp("The new version; by default the newest.", valueName: "version"))
    var newVersion: String?
    @Option(help: ArgumentHelp("Only instances of this version.", valueName: "version"))
    var from: String?
    @Option(
        help: ArgumentHelp("A file with states and context.", valueName: "file"),
        completion: .file())
    var plan: String?
    @Flag(help: "Only try everything.") var dryRun = false
    @Flag(help: "Migrate the others if some can't be migrated.") var skipFailing = false
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        let plan = try readPlan()
        guard !to.contains("/") else {
            let reply = try await migrate(to, plan, isTrial: dryRun, client)
            let changed = reply.bool("changed") ?? true
            let version = reply.value("definition")?["version"]?.string ?? ""
            let word = dryRun ? "can be migrated to" : changed ? "migrated to" : "has"
            return try show(reply, as: "\(to) \(word) \(version)")
        }
        var names = try await outdated(client)
        let failed = try await migrateAll(names, plan, isTrial: true, client)
        for (name, reason) in failed { Output.note("error: \(name): \(reason)") }
        if !failed.isEmpty, !skipFailing {
            try summarize(migrated: 0, failed: failed.count)
            throw ExitCode.refused
        }
        let skipped = Set(failed.map(\.name))
        names.removeAll { skipped.contains($0) }
        guard !dryRun else { return try summarize(migrated: names.count, failed: failed.count) }
        let late = try await migrateAll(names, plan, isTrial: false, client)
        for (name, reason) in late { Output.note("error: \(name): \(reason)") }
        try summarize(migrated: names.count - late.count, failed: failed.count + late.count)
        if !late.isEmpty || !failed.isEmpty { throw ExitCode.refused }
    }

    private func readPlan() throws -> JSONValue? {
        guard let plan else { return nil }
        let bytes = try InputFile.read(plan, bytesMax: 1 << 20)
        do {
            return try JSONValue(parsing: bytes)
        } catch {
            Output.note("error: \(plan) is no JSON: \(error)")
            throw ExitCode.dataError
        }
    }

    private func migrate(
        _ name: String, _ plan: JSONValue?, isTrial: Bool, _ client: Client
    ) async throws(ClientError) -> Reply {
        try await client.migrate(
            name, to: newVersion, states: plan?["states"], context: plan?["context"],
            isTrial: isTrial)
    }

    /// The instances of the machine that aren't done and have an earlier version.
    private func outdated(_ client: Client) async throws -> [String] {
        var filter = ListFilter(machine: to)
        filter.isDone = false
        filter.isOutdated = true
        var names: [String] = []
        for try await item in client.instances(filter)
        where from == nil || item.definitionVersion == from {
            names.append(item.name)
        }
        return names
    }

    /// Migrates instances, some at once.
    ///
    /// - Returns: Those that can't be migrated, in their order.
    private func migrateAll(
        _ names: [String], _ plan: JSONValue?, isTrial: Bool, _ client: Client
    ) async throws -> [(name: String, reason: String)] {
        var failed: [(name: String, reason: String)] = []
        for begin in stride(from: 0, to: names.count, by: Self.atOnce) {
            let part = names[begin..<min(begin + Self.atOnce, names.count)]
            failed += try await withThrowingTaskGroup(of: (String, String)?.self) { group in
                for name in part {
                    group.addTask {
                        do throws(ClientError) {
                            _ = try await migrate(name, plan, isTrial: isTrial, client)
                            return nil
                        } catch {
                            guard case .server(let refusal) = error else { throw error }
                            return (name, refusal.message)
                        }
                    }
                }
                var found: [(name: String, reason: String)] = []
                for try await failure in group {
                    if let failure { found.append((failure.0, failure.1)) }
                }
                return found.sorted { $0.name < $1.name }
            }
        }
        return failed
    }

    /// Requests under way.
    private static let atOnce = 64

    private func summarize(migrated: Int, failed: Int) throws {
        if format.json {
            let object: JSONObject = [
                "migrated": .integer(Int64(migrated)), "failed": .integer(Int64(failed)),
                "trial": .bool(dryRun),
            ]
            return try Output.line(JSONValue.object(object).serialized())
        }
        let word = dryRun ? "can be migrated" : "migrated"
        try Output.line(
            "\(counted(migrated, "instance")) \(word)"
                + (failed == 0 ? "" : ", \(failed) can't be"))
    }
}
