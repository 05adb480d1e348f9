import ArgumentParser
import GroveClient

struct Effects: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List effects and timers.",
        discussion: """
            One line per effect: instance, number, kind, id, phase, and its other members, such \
            as when it is due or why it failed. Shows one page unless --all; standard error has \
            the flag for the next page.

              grove effects order/o-1
              grove effects --phase failed --all
              grove effects --phase asking --json
            """)

    @Argument(
        help: "Only effects of this instance: MACHINE/INSTANCE.",
        completion: NameCompletion.instances)
    var to: String?
    @Option(help: "Only effects in this phase.") var phase: EffectPhase?
    @Option(help: "Continue after this position, which the page before printed.")
    var after: String?
    @OptionGroup var pages: PageFlags
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        try await pages.forEach(from: after) { position, isFirst in
            let page = try await client.effects(
                of: to, phase: phase, after: position, limit: pages.limit)
            try format.table(
                of: page.items, json: \.text,
                under: [.init("instance", .strong)] + EffectLine.header, hasHeader: isFirst
            ) { [$0.instance ?? ""] + EffectLine.columns($0, format.style) }
            return page.next
        }
    }
}
