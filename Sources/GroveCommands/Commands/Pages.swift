import ArgumentParser
import GroveClient
import OrderedJSON

/// `grove list`
struct List: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List instances.",
        discussion: """
            One line each: name, version, when it last changed, 'done', 'suspended' or 'set \
            aside' if it is, state (of what is held: why, if somebody said). Without \
            --all, one page; standard error says how to get the next.

              grove list
              grove list order --state placed --not-done
              grove list --outdated
              grove list order --prefix 2026- --all --json
              grove list --set-aside
            """)

    @Argument(help: "Only instances of this machine.", completion: NameCompletion.machines)
    var machine: String?
    @Option(help: "Only instances whose name, behind the slash, begins like this.")
    var prefix: String?
    @Option(
        help: "Only instances in this state; for machines whose states have names.",
        completion: NameCompletion.states)
    var state: String?
    @Flag(name: .customLong("done"), help: "Only instances that are done.") var onlyDone = false
    @Flag(name: .customLong("not-done"), help: "Only instances that aren't done.")
    var onlyNotDone = false
    @Flag(
        help: "Only instances whose last step was taken by an earlier version of the definition.")
    var outdated = false
    @Flag(name: .customLong("set-aside"), help: "Only what the server has set aside, and why.")
    var onlySetAside = false
    @Flag(name: .customLong("suspended"), help: "Only what was suspended itself, and why.")
    var onlySuspended = false
    @Option(help: "Go on behind this name, as an earlier page said.") var after: String?
    @OptionGroup var pages: PageFlags
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if onlyDone && onlyNotDone { throw ValidationError("Choose --done or --not-done.") }
        if onlySetAside && onlySuspended {
            throw ValidationError("Choose --set-aside or --suspended.")
        }
    }

    func run(with client: Client) async throws {
        let done: Bool? = onlyDone ? true : onlyNotDone ? false : nil
        let held: ListFilter.Held? =
            onlySetAside ? .setAside : onlySuspended ? .suspended : nil
        let filter = ListFilter(
            machine: machine, prefix: prefix, state: state, isDone: done,
            isOutdated: outdated ? true : nil, held: held)
        try await pages.forEach(from: after) { position, isFirst in
            let page = try await client.list(filter, after: position, limit: pages.limit)
            try show(page.items, hasHeader: isFirst)
            return page.next
        }
    }

    private func show(_ items: [InstanceSummary], hasHeader: Bool) throws {
        if format.json {
            for item in items { try Output.line(item.text) }
            return
        }
        let rows = items.map { item in
            [
                item.name, "v\(item.version)", format.style.clock(item.updated ?? ""),
                Self.word(item), item.heldReason ?? item.state.description,
            ]
        }
        try format.table(
            rows,
            under: [
                .init("instance", .strong), .init("version"), .init("updated", .faint),
                .init("done", .good), .init("state"),
            ], hasHeader: hasHeader)
    }

    private static func word(_ item: InstanceSummary) -> String {
        if item.isDone { return "done" }
        return HeldWord.text(item.held)
    }
}

/// `grove history`
struct History: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the steps of an instance: event, outputs, time.",
        discussion: """
            One line a step, oldest first: version, time, event, then '->' and the outputs if \
            there are any. Without --all, one page; standard error says how to get the next.

              grove history order/o-1
              grove history order/o-1 --after 100 --all --json
            """)

    @Argument(help: "The instance: MACHINE/INSTANCE.", completion: NameCompletion.instances)
    var to: String
    @Option(help: "Only steps behind this version.") var after: Int64?
    @OptionGroup var pages: PageFlags
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        try await pages.forEach(from: after) { position, isFirst in
            let page = try await client.history(of: to, after: position, limit: pages.limit)
            try show(page.items, hasHeader: isFirst)
            if page.next == nil { try await showStop(client) }
            return page.next
        }
    }

    /// A stop is no step, but it is how the history ends.
    private func showStop(_ client: Client) async throws {
        // Without an answer the steps are all there is to show.
        guard !format.json, let end = try? await client.get(to).reply,
            end.string("result") == "stopped"
        else { return }
        let reason = end.string("reason").map { ": \($0)" } ?? ""
        try Output.line(format.style.safe("stopped\(reason)"))
    }

    private func show(_ steps: [HistoryStep], hasHeader: Bool) throws {
        if format.json {
            for step in steps { try Output.line(step.text) }
            return
        }
        let rows = steps.map { step in
            var what = step.event.description
            if !step.outputs.isEmpty {
                what += " -> " + step.outputs.map(\.description).joined(separator: " ")
            }
            if let dedup = step.dedup { what += "  (dedup \(dedup))" }
            return ["v\(step.version)", format.style.clock(step.at ?? ""), what]
        }
        try format.table(
            rows, under: [.init("version", .strong), .init("time", .faint), .init("event")],
            hasHeader: hasHeader)
    }
}
