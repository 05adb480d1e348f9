import ArgumentParser
import GroveClient
import OrderedJSON

struct List: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List instances.",
        discussion: """
            One line per instance: name, version, the time of its last change, 'done', \
            'suspended' or 'set aside', and the state; for a held instance the reason, if there \
            is one. Shows one page unless --all; standard error has the flag for the next page.

              grove list
              grove list order --state placed --not-done
              grove list --outdated
              grove list order --prefix 2026- --all --json
              grove list --set-aside
            """)

    @Argument(help: "Only instances of this machine.", completion: NameCompletion.machines)
    var machine: String?
    @Option(help: "Only instances whose name, after the slash, begins like this.")
    var prefix: String?
    @Option(
        help: "Only instances in this state; for machines whose states have names.",
        completion: NameCompletion.states)
    var state: String?
    @Flag(name: .customLong("done"), help: "Only instances that are done.") var onlyDone = false
    @Flag(name: .customLong("not-done"), help: "Only instances that aren't done.")
    var onlyNotDone = false
    @Flag(help: "Only instances whose last step ran under an earlier version of the definition.")
    var outdated = false
    @Flag(
        name: .customLong("set-aside"),
        help: "Only instances that the server has set aside, with the reason.")
    var onlySetAside = false
    @Flag(
        name: .customLong("suspended"),
        help: "Only instances that were suspended themselves, with the reason.")
    var onlySuspended = false
    @Option(help: "Continue after this name, which the page before printed.") var after: String?
    @OptionGroup var pages: PageFlags
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if onlyDone && onlyNotDone { throw ValidationError("Choose --done or --not-done.") }
        if onlySetAside && onlySuspended {
            throw ValidationError("Choose --set-aside or --suspended.")
        }
    }

    func run(with client: Client) async throws {
        let done: Bool? = onlyDone ? true : onlyNotDone ? false : nil
        let held: ListFilter.Held? = onlySetAside ? .setAside : onlySuspended ? .suspended : nil
        let filter = ListFilter(
            machine: machine, prefix: prefix, state: state, isDone: done,
            isOutdated: outdated ? true : nil, held: held)
        let columns: [Table.Column] = [
            .init("instance", .strong), .init("version"), .init("updated", .faint),
            .init("done", .good), .init("state"),
        ]
        try await pages.forEach(from: after) { position, isFirst in
            let page = try await client.list(filter, after: position, limit: pages.limit)
            try format.table(
                of: page.items, json: \.text, under: columns, hasHeader: isFirst
            ) { item in
                [
                    item.name, "v\(item.version)", format.style.clock(item.updated ?? ""),
                    item.isDone ? "done" : heldText(item.held),
                    item.heldReason ?? item.state.description,
                ]
            }
            return page.next
        }
    }
}
