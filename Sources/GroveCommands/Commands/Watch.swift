import ArgumentParser
import GroveClient
import OrderedJSON
import Synchronization

import enum GroveEngine.EditDistance

struct Watch: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow what happens to instances.",
        discussion: """
            Prints one line per event: time, instance, version, the event, '->' and the state if \
            it changed, then outputs, effects, and 'done'. Changes without an event have separate \
            lines. With --kind or --type prints one line per record, with --json the record as \
            the server sent it. Runs until Ctrl-C or --count.

            On a terminal, times are local, and lines are cut to its width, unless --wide.

              grove watch                         everything from now on
              grove watch counter                 all instances of one machine
              grove watch 'order/o-*' --kind output --type 'invoice.*'
              grove watch counter/a --from first  from the oldest record held
              grove watch 'order/*' --snapshot    the present states first
              grove watch --from CURSOR --json    right after an earlier record

            When the server goes away, watch prints a note on standard error, waits, and continues \
            after the last record it printed: nothing is missed or repeated. Each SELECT is a \
            separate subscription: a record that matches two of them is printed twice.
            """)

    @Argument(
        help: ArgumentHelp(
            "MACHINE or MACHINE/INSTANCE, with * and ? as wildcards; without it, all instances.",
            valueName: "select"), completion: NameCompletion.instances)
    var selects: [String] = []
    @Option(
        help: ArgumentHelp(
            "Only records of this kind, one line each; may be repeated. Without it, --json has all "
                + "kinds but trace.",
            valueName: "kind"))
    var kind: [Record.Kind] = []
    @Option(help: ArgumentHelp("Only outputs whose name matches this pattern.", valueName: "glob"))
    var type: String?
    @Option(
        help: ArgumentHelp(
            "The start: now, first, last:STEPS, or a cursor.", valueName: "place"))
    var from = "now"
    @Flag(help: "Begin with the present state of every selected instance; only with --from now.")
    var snapshot = false
    @Option(help: "Stop after this number of lines.") var count: Int?
    @Flag(help: "Don't cut lines to the terminal's width.") var wide = false
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if snapshot && from != "now" { throw ValidationError("--snapshot needs --from now.") }
        if from.hasPrefix(Self.lastPrefix), !(1...10_000).contains(lastSteps ?? 0) {
            throw ValidationError("--from last:STEPS takes 1 to 10000 steps.")
        }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    private static let lastPrefix = "last:"

    /// The steps of `--from last:STEPS`.
    private var lastSteps: Int? {
        from.hasPrefix(Self.lastPrefix) ? Int(from.dropFirst(Self.lastPrefix.count)) : nil
    }

    func run(with client: Client) async throws {
        try await untilStopped(client) { _ in try await follow(with: client) }
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
        // Runs beside the records, after a moment: a late reply delays nothing.
        let naming = Task {
            try await Task.sleep(for: .milliseconds(300))
            await reportUnknownMachines(client)
        }
        defer { naming.cancel() }
        try await follow(subscriptions)
    }

    /// Prints the named machines that aren't hosted. They are followed nevertheless: records of a
    /// machine that was hosted earlier may exist.
    private func reportUnknownMachines(_ client: Client) async {
        let names = selects.compactMap { $0.split(separator: "/").first.map(String.init) }
            .filter { !$0.contains("*") && !$0.contains("?") }
        // Without a reply there is nothing to print; the subscription reports the error.
        guard !names.isEmpty, let definitions = try? await client.definitions() else { return }
        let known = definitions.map(\.name)
        for name in names where !known.contains(name) {
            let meant = EditDistance.meant(by: name, of: known)
            let hint = meant.map { "; did you mean '\(format.noteStyle.safe($0))'?" } ?? ""
            Output.note(
                "warning: the server hosts no machine '\(format.noteStyle.safe(name))'\(hint)")
        }
    }

    /// Whether each line shows a whole step instead of one record.
    private var showsSteps: Bool { !format.json && kind.isEmpty && type == nil }

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
            case _ where lastSteps != nil: .last(lastSteps ?? 1)
            default: .after(from)
            }
        return SubscriptionRequest(
            machine: pattern(0), instance: pattern(1),
            kinds: showsSteps ? StepLines.kinds + (snapshot ? [.state] : []) : kind, type: type,
            start: start,
            wantsSnapshot: snapshot)
    }

    /// Prints the items of all subscriptions until one of them fails, `--count` is reached, or the
    /// task is cancelled.
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
        var steps = StepLines(format.style)
        for try await item in subscription.items {
            switch item {
            case .record(let record):
                guard showsSteps, !record.isSnapshot else {
                    guard try printed.next({ try print(record) }) else { return }
                    continue
                }
                // Of the states only those of a snapshot are shown: lines of steps have the others.
                let isPart = record.kind == .state && snapshot
                guard !isPart, let text = steps.text(record) else { continue }
                let line = RecordLine.text(record, step: text, format.style, isWide: wide)
                guard try printed.next({ try Output.line(line) }) else { return }
            case .mark(.gap(let gap)):
                Output.note("records are missing here: \(format.noteStyle.safe(gap.reason))")
            case .mark: break
            case .interrupted(let error):
                // Further failures until the server is back aren't printed.
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
        try Output.line(RecordLine.text(record, format.style, isWide: wide))
    }
}

/// Counts the lines of all subscriptions, and prints one at a time.
private final class RecordCount: Sendable {
    private let printed = Mutex(0)
    private let max: Int?

    init(max: Int?) { self.max = max }

    /// Prints a line unless the maximum is reached; returns whether more may follow.
    func next(_ print: () throws -> Void) throws -> Bool {
        try printed.withLock { printed in
            if let max, printed >= max { return false }
            try print()
            printed += 1
            return max.map { printed < $0 } ?? true
        }
    }
}
