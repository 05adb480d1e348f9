import ArgumentParser
import GroveClient
import GroveWire
import OrderedJSON
import Statecharts

struct Migrate: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Give instances of a machine as data another version of its definition.",
        discussion: """
            With the name of an instance migrates it, with the name of a machine all its instances \
            that aren't done and have an earlier version than the newest, or with --from that one, \
            whichever it is. First each instance is tried, and nothing is changed if one can't be \
            migrated, or only the others with --skip-failing.

            States and members of the context that have the same name stay. --plan is a file with \
            what changes: {"states":{"paying":"billing"},"context":{"due":"context.total - \
            context.paid"}}; without it, the member "migrates" of the new definition counts. No \
            actions run. Timers and invocations of states that stay continue, also under a new \
            name of the state; those that are new to the state start, and those that it no longer \
            has are stopped. --dry-run says which.

              grove migrate order/o-1 --dry-run
              grove migrate order --from 1.0.0 --plan plan.json

            Exit codes: 0 done, 1 instances can't be migrated or there is no such version, 65 the \
            plan can't be used, 66 there is no such file, 75 the connection was lost.
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
            warn(ofUnknown: reply)
            try show(reply, as: "\(to) \(word) \(version)")
            guard !format.json else { return }
            for line in Self.effects(of: reply) { try Output.line("  \(line)") }
            return
        }
        var names = try await selected(client)
        try await check(names, client)
        let trial = await migrateAll(names, plan, isTrial: true, client)
        try endIfLost(trial)
        let failed = trial.failed
        for (name, reason) in failed { Output.note("error: \(name): \(reason)") }
        try requireKnown(trial)
        if !failed.isEmpty, !skipFailing {
            try summarize(
                migrated: dryRun ? names.count - failed.count : 0,
                dryRun ? trial : Outcome(failed: failed))
            throw ExitCode.refused
        }
        let skipped = Set(failed.map(\.name))
        names.removeAll { skipped.contains($0) }
        guard !dryRun else { return try summarize(migrated: names.count, trial) }
        var done = await migrateAll(names, plan, isTrial: false, client)
        for (name, reason) in done.failed { Output.note("error: \(name): \(reason)") }
        try endIfLost(done)
        done.failed += failed
        try summarize(migrated: done.changed, done)
        if !done.failed.isEmpty { throw ExitCode.refused }
    }

    /// Warns of states in the plan that the version of the instance didn't have.
    private func warn(ofUnknown reply: Reply) {
        for name in Outcome.unknown(in: reply).sorted() {
            Output.note(
                "warning: \(plan ?? ""): the former version of \(to) has no state "
                    + "'\(format.noteStyle.safe(name))'")
        }
    }

    /// Refuses a plan with states that no version of the instances has.
    private func requireKnown(_ trial: Outcome) throws(ExitCode) {
        guard let unknown = trial.unknown, !unknown.isEmpty else { return }
        let names = unknown.sorted()
        for name in names {
            Output.note(
                "error: \(plan ?? ""): no former version of these instances has a state "
                    + "'\(format.noteStyle.safe(name))'; nothing was changed")
        }
        format.showFailure(
            .dataError,
            "\(plan ?? ""): no former version of these instances has a state "
                + names.map { "'\($0)'" }.joined(separator: ", "))
        throw ExitCode.dataError
    }

    /// What a reply says of effects, one line for each.
    private static func effects(of reply: Reply) -> [String] {
        func names(_ member: StaticString) -> [String] {
            (reply.value(member)?.array ?? []).compactMap(\.string)
        }
        let renames = (reply.value("renames")?.array ?? []).map {
            "\($0["from"]?.string ?? "") continues as \($0["to"]?.string ?? "")"
        }
        return names("starts").map { "\($0) starts" } + names("stops").map { "\($0) is stopped" }
            + renames
    }

    /// The end of many migrations.
    private struct Outcome: Sendable {
        /// The instances that have changed: not those that had the version already.
        var changed = 0
        /// Whether they were only tried.
        var isTrial = false
        /// What ended them before all had an answer.
        var loss: ClientError?
        /// The instances that can't be migrated, in their order.
        var failed: [(name: String, reason: String)] = []
        /// The effects of the others, by what becomes of them.
        var effects: [String: Int] = [:]
        /// The states in the plan that the versions of all others lack; `nil` before the first one.
        private(set) var unknown: Set<String>?

        /// What may become of effects, as replies say it.
        static let fates: [StaticString] = ["starts", "stops", "renames"]

        /// The states in the plan that the version of the instance didn't have.
        static func unknown(in reply: Reply) -> Set<String> {
            Set((reply.value("unknown")?.array ?? []).compactMap(\.string))
        }

        mutating func add(_ reply: Reply) {
            if reply.bool("changed") == true { changed += 1 }
            let lacking = Self.unknown(in: reply)
            unknown = unknown?.intersection(lacking) ?? lacking
            for fate in Self.fates {
                guard let names = reply.value(fate)?.array else { continue }
                effects["\(fate)", default: 0] += names.count
            }
        }
    }

    private func readPlan() throws -> JSONValue? {
        guard let plan else { return nil }
        let bytes = try InputFile.read(plan, bytesMax: 1 << 20, format)
        do {
            let json = try JSONValue(parsing: bytes)
            let isKnown = { (name: String) in ["states", "context"].contains(name) }
            if let object = json.object, object.map(\.name).allSatisfy(isKnown) {
                _ = try ChartMigration(json)
                return json
            }
        } catch let problems as ChartProblems {
            for problem in problems.errors {
                Output.note(format.noteStyle.safe("error: \(plan): \(problem)"))
            }
            let first = problems.errors.first.map { "\($0)" } ?? ""
            format.showFailure(.dataError, "\(plan): \(first)")
            throw ExitCode.dataError
        } catch {
            throw format.failure(.dataError, "\(plan) is no JSON: \(error)")
        }
        throw format.failure(
            .dataError, "\(plan): a plan is an object with the members states and context")
    }

    private func migrate(
        _ name: String, _ plan: JSONValue?, isTrial: Bool, _ client: Client
    ) async throws(ClientError) -> Reply {
        try await client.migrate(
            name, to: newVersion, states: plan?["states"], context: plan?["context"],
            isTrial: isTrial)
    }

    /// The instances of the machine that aren't done and don't have the new version: those of an
    /// earlier one than the newest, or those of `--from`.
    private func selected(_ client: Client) async throws -> [String] {
        let present = try await client.definitions().first { $0.name == to }?.version
        let target = newVersion ?? present
        var names: [String] = []
        // The newest version, too, may be the one to leave.
        for isOutdated in from == nil ? [true] : [true, false] {
            let filter = ListFilter(machine: to, isDone: false, isOutdated: isOutdated)
            for try await item in client.instances(filter)
            where item.definitionVersion != target {
                if from == nil || item.definitionVersion == from { names.append(item.name) }
            }
        }
        return names
    }

    /// Checks the machine and the versions by an instance: no list of names shows what is wrong
    /// with them.
    ///
    /// - Throws: The server's refusal of the machine, or of a version that there isn't.
    private func check(_ names: [String], _ client: Client) async throws {
        var example = names.first
        if example == nil {
            for try await item in client.instances(ListFilter(machine: to, isDone: false)) {
                example = item.name
                break
            }
        }
        guard let example else { return }
        for version in names.isEmpty ? [from, newVersion] : [newVersion] {
            do throws(ClientError) {
                _ = try await client.migrate(example, to: version, isTrial: true)
            } catch {
                // Others are about this instance.
                guard case .server(let refusal) = error, refusal.known == .badRequest,
                    ["$.to", "$.version"].contains(refusal.data?["at"]?.string)
                else { continue }
                throw error
            }
        }
    }

    /// Ends the command if the connection was lost in the middle.
    private func endIfLost(_ outcome: Outcome) throws {
        guard let loss = outcome.loss else { return }
        let rest =
            outcome.isTrial
            ? "nothing was migrated: try again"
            : "\(counted(outcome.changed, "instance")) migrated, and at most \(Self.atOnce) more; "
                + "the same command migrates the others"
        Output.note(Failures.text(loss, format.noteStyle, hint: rest))
        if format.json { try Output.line(Failures.json(loss)) }
        throw exitCode(loss)
    }

    /// Migrates instances, some at once.
    private func migrateAll(
        _ names: [String], _ plan: JSONValue?, isTrial: Bool, _ client: Client
    ) async -> Outcome {
        var outcome = Outcome(isTrial: isTrial)
        for begin in stride(from: 0, to: names.count, by: Self.atOnce) {
            let part = names[begin..<min(begin + Self.atOnce, names.count)]
            let ends = await withTaskGroup(
                of: (name: String, end: Result<Reply, ClientError>).self
            ) { group in
                for name in part {
                    group.addTask {
                        do throws(ClientError) {
                            let reply = try await migrate(name, plan, isTrial: isTrial, client)
                            return (name, .success(reply))
                        } catch {
                            return (name, .failure(error))
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for (name, end) in ends.sorted(by: { $0.name < $1.name }) {
                switch end {
                case .success(let reply): outcome.add(reply)
                case .failure(.server(let refusal)):
                    outcome.failed.append((name, refusal.message))
                case .failure(let loss): outcome.loss = outcome.loss ?? loss
                }
            }
            if outcome.loss != nil { break }
        }
        return outcome
    }

    /// Requests under way.
    private static let atOnce = 64

    private func summarize(migrated: Int, _ outcome: Outcome) throws {
        let failed = outcome.failed.count
        if format.json {
            var object: JSONObject = [
                "migrated": .integer(Int64(migrated)), "failed": .integer(Int64(failed)),
                "trial": .bool(dryRun),
            ]
            for fate in Outcome.fates {
                object["\(fate)"] = .integer(Int64(outcome.effects["\(fate)"] ?? 0))
            }
            return try Output.line(JSONValue.object(object).serialized())
        }
        let word = dryRun ? "can be migrated" : "migrated"
        try Output.line(
            "\(counted(migrated, "instance")) \(word)"
                + (failed == 0 ? "" : ", \(failed) can't be"))
        let words = [
            "starts": "start", "stops": "are stopped", "renames": "continue under new names",
        ]
        let parts = Outcome.fates.compactMap { fate in
            outcome.effects["\(fate)"].map { "\($0) \(words["\(fate)"] ?? "")" }
        }
        if !parts.isEmpty { try Output.line("effects: " + parts.joined(separator: ", ")) }
    }
}
