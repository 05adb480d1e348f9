import ArgumentParser
import GroveClient
import OrderedJSON

struct History: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the steps of an instance: event, outputs, time.",
        discussion: """
            One line per step, oldest first: version, time, event, then '->' and the outputs if \
            there are any. Shows one page unless --all; standard error has the flag for the next \
            page.

              grove history order/o-1
              grove history order/o-1 --after 100 --all --json
            """)

    @Argument(help: .instance, completion: NameCompletion.instances) var to: String
    @Option(help: "Only steps after this version.") var after: Int64?
    @OptionGroup var pages: PageFlags
    @OptionGroup var connection: ConnectionFlags

    func run(with client: Client) async throws {
        try await pages.forEach(from: after) { position, isFirst in
            let page = try await client.history(of: to, after: position, limit: pages.limit)
            try format.table(
                of: page.items, json: \.text,
                under: [.init("version", .strong), .init("time", .faint), .init("event")],
                hasHeader: isFirst
            ) { ["v\($0.version)", format.style.clock($0.at ?? ""), text($0)] }
            if page.next == nil { try await showStop(client) }
            return page.next
        }
    }

    /// Shows a stop, which is no step but ends the history.
    private func showStop(_ client: Client) async throws {
        // Without a reply only the steps are shown.
        guard !format.json, let end = try? await client.get(to).reply,
            end.string("result") == "stopped"
        else { return }
        let reason = end.string("reason").map { ": \($0)" } ?? ""
        try Output.line(format.style.safe("stopped\(reason)"))
    }

    private func text(_ step: HistoryStep) -> String {
        var text = step.event.description
        if !step.outputs.isEmpty {
            text += " -> " + step.outputs.map(\.description).joined(separator: " ")
        }
        if let by = step.by { text += "  (by \(by))" }
        if let dedup = step.dedup { text += "  (dedup \(dedup))" }
        return text
    }
}
