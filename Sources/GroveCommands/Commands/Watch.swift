import ArgumentParser
import GroveClient
import OrderedJSON
import Synchronization

import enum GroveEngine.EditDistance

/// `grove watch`
struct Watch: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow what happens to instances.",
        discussion: """
            Prints one line an event: time, instance, version, the event, '->' and the state if \
            it changed, then outputs, effects, and 'done'. What happens without an event has lines \
            of its own. With --kind, or with --type, it is one line a record, and with --json the \
            record as the server sent it. Runs until Ctrl-C, or --count.

            On a terminal times are those of the place, and lines are cut to its width, unless \
            --wide.

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
            "Only records of this kind, a line each; may be repeated. With --json all but trace by "
                + "default.",
            valueName: "kind"))
    var kind: [Record.Kind] = []
    @Option(help: ArgumentHelp("Only outputs whose name fits this pattern.", valueName: "glob"))
    var type: String?
    @Option(help: ArgumentHelp("Where to begin: now, first, or a cursor.", valueName: "place"))
    var from = "now"
    @Flag(help: "First the present state of every selected instance; only from now.")
    var snapshot = false
    @Option(help: "End after so many lines.") var count: Int?
    @Flag(help: "Don't cut lines to the terminal's width.") var wide = false
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        if snapshot && from != "now" { throw ValidationError("--snapshot needs --from now.") }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
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
        // Beside the records, and not before a moment is over: a late answer holds up nothing.
        let naming = Task {
            try await Task.sleep(for: .milliseconds(300))
            await tellUnknownMachines(client)
        }
        defer { naming.cancel() }
        try await follow(subscriptions)
    }

    /// Says which of the machines that were named aren't hosted. They are followed all the same:
    /// records of a machine that was hosted once may be there.
    private func tellUnknownMachines(_ client: Client) async {
        let names = selects.compactMap { $0.split(separator: "/").first.map(String.init) }
            .filter { !$0.contains("*") && !$0.contains("?") }
        // Without an answer there is nothing to say, and the subscription tells what is wrong.
        guard !names.isEmpty, let definitions = try? await client.definitions() else { return }
        let known = definitions.map(\.name)
        for name in names where !known.contains(name) {
            let meant = EditDistance.meant(by: name, of: known)
            let hint = meant.map { "; did you mean '\(format.noteStyle.safe($0))'?" } ?? ""
            Output.note(
                "warning: the server hosts no machine '\(format.noteStyle.safe(name))'\(hint)")
        }
    }

    /// Whether each line tells all of a step, and not one record.
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
            default: .after(from)
            }
        return SubscriptionRequest(
            machine: pattern(0), instance: pattern(1),
            kinds: showsSteps ? StepLines.kinds + (snapshot ? [.state] : []) : kind, type: type,
            start: start,
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
        var steps = StepLines(format.style)
        for try await item in subscription.items {
            switch item {
            case .record(let record):
                guard showsSteps, !record.isSnapshot else {
                    guard try printed.next({ try print(record) }) else { return }
                    continue
                }
                // Of the states only those of a snapshot are shown: the others stand in a step.
                let isPart = record.kind == .state && snapshot
                guard !isPart, let text = steps.text(record) else { continue }
                let line = RecordLine.text(record, tells: text, format.style, isWide: wide)
                guard try printed.next({ try Output.line(line) }) else { return }
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
        try Output.line(RecordLine.text(record, format.style, isWide: wide))
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
