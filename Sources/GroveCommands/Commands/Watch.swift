import ArgumentParser
import GroveClient
import OrderedJSON
import Synchronization

/// `grove watch`
struct Watch: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow what happens to instances.",
        discussion: """
            Prints one line a record: time, instance, version, kind, and what happened; with \
            --json the record as the server sent it. Runs until Ctrl-C, or --count.

              grove watch                         everything from now on
              grove watch counter                 all instances of one machine
              grove watch 'order/o-*' --kind output --type 'invoice.*'
              grove watch counter/a --from first  from the oldest record held
              grove watch 'order/*' --snapshot    the present states first
              grove watch --from CURSOR --json    right behind an earlier record

            When the server goes away, watch says so on standard error, waits, and goes on behind \
            the last record it printed: nothing is missed or repeated. With several SELECTs each \
            is followed for itself, and a record that two of them select is printed twice.
            """)

    @Argument(
        help: ArgumentHelp(
            "MACHINE or MACHINE/INSTANCE, with * and ? as wildcards; nothing selects all.",
            valueName: "select"), completion: NameCompletion.instances)
    var selects: [String] = []
    @Option(
        help: ArgumentHelp(
            "Only records of this kind; may be repeated. All but trace by default.",
            valueName: "kind"))
    var kind: [Record.Kind] = []
    @Option(help: ArgumentHelp("Only outputs whose name fits this pattern.", valueName: "glob"))
    var type: String?
    @Option(help: ArgumentHelp("Where to begin: now, first, or a cursor.", valueName: "place"))
    var from = "now"
    @Flag(help: "First the present state of every selected instance; only from now.")
    var snapshot = false
    @Option(help: "End after so many records.") var count: Int?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if snapshot && from != "now" { throw ValidationError("--snapshot needs --from now.") }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run(with client: Client) async throws {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let signals = StopSignals { stop.yield() }
        let following = Task { try await follow(with: client) }
        let stopping = Task { for await _ in stops { following.cancel() } }
        let result = await following.result
        stopping.cancel()
        withExtendedLifetime(signals) {}
        await client.close()
        do {
            try result.get()
        } catch ClientError.cancelled {
            // Stopped before the server had accepted: as good an end as any.
        }
    }

    private func follow(with client: Client) async throws {
        var subscriptions: [Subscription] = []
        for select in selects.isEmpty ? [""] : selects {
            subscriptions.append(try await client.subscribe(request(select)))
        }
        defer {
            if subscriptions.count == 1, let cursor = subscriptions[0].cursor {
                Output.note("go on later with --from '\(format.noteStyle.safe(cursor))'")
            }
        }
        try await follow(subscriptions)
    }

    private func request(_ select: String) -> SubscriptionRequest {
        let parts = select.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        func pattern(_ index: Int) -> String? {
            guard index < parts.count, !parts[index].isEmpty, parts[index] != "*" else {
                return nil
            }
            return String(parts[index])
        }
        let start: SubscriptionRequest.Start =
            switch from {
            case "now": .now
            case "first": .first
            default: .after(from)
            }
        return SubscriptionRequest(
            machine: pattern(0), instance: pattern(1), kinds: kind, type: type, start: start,
            wantsSnapshot: snapshot)
    }

    /// Prints what all subscriptions hand out, until one of them fails, `--count` is reached, or
    /// the task is cancelled.
    private func follow(_ subscriptions: [Subscription]) async throws {
        let printed = RecordCount(max: count)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for subscription in subscriptions {
                group.addTask { try await self.follow(subscription, printed) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    private func follow(_ subscription: Subscription, _ printed: RecordCount) async throws {
        var isInterrupted = false
        for try await item in subscription.items {
            switch item {
            case .record(let record):
                guard try printed.next({ try print(record) }) else { return }
            case .mark(.gap(let gap)):
                Output.note("records are missing here: \(format.noteStyle.safe(gap.reason))")
            case .mark: break
            case .interrupted(let error):
                // Attempts that fail until the server is back say nothing new.
                if !isInterrupted {
                    let reason = format.noteStyle.safe(error.message)
                    Output.note("interrupted: \(reason); trying again")
                }
                isInterrupted = true
            case .resumed(let isAnew):
                isInterrupted = false
                Output.note(isAnew ? "begun again, with the snapshot" : "resumed")
            }
        }
    }

    private func print(_ record: Record) throws {
        if format.json { return try Output.line(record.text) }
        try Output.line(RecordLine.text(record, format.style))
    }
}

/// Counts the records of all subscriptions and keeps their lines apart.
final class RecordCount: Sendable {
    private let printed = Mutex(0)
    private let max: Int?

    init(max: Int?) { self.max = max }

    /// Prints a record unless enough were printed; returns whether more are wanted.
    func next(_ print: () throws -> Void) throws -> Bool {
        try printed.withLock { printed in
            if let max, printed >= max { return false }
            try print()
            printed += 1
            return max.map { printed < $0 } ?? true
        }
    }
}

/// A record as a line for people.
enum RecordLine {
    /// Time, instance, version, kind, and what happened, in columns that stay where they are as
    /// long as names are of usual length.
    static func text(_ record: Record, _ style: Style) -> String {
        let version = record.version.map { "v\($0)" } ?? ""
        let kind = record.isSnapshot ? "snapshot" : record.value("kind")?.string ?? ""
        let cells: [(text: String, width: Int, tone: Style.Tone)] = [
            (record.at ?? "", record.at == nil ? 0 : 26, .faint), (record.name, 22, .strong),
            (version, 8, .plain), (kind, 11, .accent), (happening(record), 0, .plain),
        ]
        return cells.map { cell in
            let text = style.safe(cell.text)
            let gap = max(cell.width > 0 ? 2 : 0, cell.width - text.count)
            return style.paint(text, cell.tone) + String(repeating: " ", count: gap)
        }.joined()
    }

    private static func happening(_ record: Record) -> String {
        func json(_ name: StaticString) -> String { record.value(name)?.description ?? "" }
        switch record.kind {
        case .output: return json("data")
        case .state:
            let before = json("before")
            return before.isEmpty ? json("after") : "\(before) -> \(json("after"))"
        case .lifecycle: return record.value("lifecycle")?.string ?? ""
        case .effect: return EffectLine.text(record.data ?? .null)
        case .trace, nil:
            let known = ["cur", "to", "v", "kind", "at", "sub"]
            let document = record.document
            return document.members(of: document.root).compactMap { name, value in
                let name = document.plainText(name)
                return known.contains(name) ? nil : "\(name)=\(document.plainText(value))"
            }.joined(separator: " ")
        }
    }
}
