import ArgumentParser
import GroveClient

struct Audit: AccountsCommandLine {
    static let configuration = CommandConfiguration(
        abstract: "Show who changed accounts, when and from where.",
        discussion: """
            One entry for each change: number, time, who did it, from where ('unix' for a Unix \
            socket, 'data' for --data), and the differences, one a line. Shows one page unless \
            --all; standard error has the flag for the next page. With --json an entry also has \
            its hash, which covers the entry and the hash before it.

              grove audit
              grove audit --after 120 --all --json
            """)

    static var family: String { "" }

    @Option(help: "Continue after the entry with this number.") var after: Int64?
    @OptionGroup var pages: PageFlags
    @OptionGroup var data: DataFlag
    @OptionGroup var connection: ConnectionFlags

    func run(in place: some AccountsPlace) async throws {
        let columns: [Table.Column] = [
            .init("n", .faint), .init("time", .faint), .init("by", .strong), .init("from"),
            .init("change"),
        ]
        try await pages.forEach(from: after) { number, isFirst in
            let page = try await place.audit(after: number, limit: pages.limit)
            if format.json {
                for item in page.items { try Output.line(item.text) }
                return page.next
            }
            let rows = page.items.flatMap { item -> [[String]] in
                let head = ["\(item.number)", format.style.clock(item.time), item.by, item.from]
                let first = [head + [item.changes.first ?? ""]]
                return first + item.changes.dropFirst().map { ["", "", "", "", $0] }
            }
            try format.table(rows, under: columns, hasHeader: isFirst)
            return page.next
        }
    }
}
