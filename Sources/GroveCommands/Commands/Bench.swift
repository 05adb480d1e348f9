import ArgumentParser
import GroveBench
import GroveClient
import Synchronization

struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a server with events and measure throughput and latency.",
        discussion: """
            Every connection keeps --pipeline requests under way and sends the next when a reply \
            arrives (a closed loop: a slow server gets fewer requests). Latency is the time from \
            building a request to reading its reply, in microseconds, for acknowledged events \
            only. With --rate, events are sent at fixed times (an open loop), and latency is the \
            time from when an event is due. Progress is printed on standard error once per second.

              grove bench
              grove bench --connections 64 --pipeline 32 --duration 30s --json
              grove bench --rate 5000 --duration 30s
              grove bench --events 100000 --dedup --reconnect --record acks.jsonl

            The last line is for crash tests: each event has its own dedup key, events without a \
            reply are sent again after a reconnect, and each acknowledged event is appended to \
            the file as {"to":…,"v":…,"dedup":…}.

            Exit code 1 means that the server refused events, 69 that it can't be reached, 75 that \
            a connection broke or replies were missing.
            """)

    @Option(help: "The number of connections.") var connections = 16
    @Option(help: "The number of requests that each connection keeps under way (--rate: at most).")
    var pipeline = 16
    @Option(
        help: ArgumentHelp(
            """
            Events per second of all connections together, whether or not replies come; at most \
            --pipeline of each connection wait for a reply (default: as many as the server takes).
            """, valueName: "per-second"))
    var rate: Int?
    @Option(help: "The number of threads that share the connections.") var threads = 1
    @Option(help: "The number of instances; each event goes to a random one.") var instances = 100
    @Option(help: "The beginning of the instances' names; a number of seven digits follows.")
    var prefix = "bench-"
    @Option(help: ArgumentHelp("The time to send for (default: 10s).", valueName: "time"))
    var duration: TimeSpan?
    @Option(help: "The number of events to send, without a time limit.") var events: Int?
    @Option(help: "The machine.") var machine = "counter"
    @Option(help: "The event: a word or JSON.") var event = "increment"
    @Flag(inversion: .prefixedNo, help: "Whether each event has its own dedup key.")
    var dedup = false
    @Flag(help: "Reconnect when a connection breaks, instead of ending with code 75.")
    var reconnect = false
    @Option(help: ArgumentHelp("Append acknowledged events to this file.", valueName: "file"))
    var record: String?
    @OptionGroup var connection: ConnectionFlags

    private var format: FormatFlags { connection.format }

    func validate() throws {
        let counts = [("--connections", connections, 10_000), ("--pipeline", pipeline, 1024)]
        let more = [("--threads", threads, 256), ("--instances", instances, 10_000_000)]
        for (name, count, max) in counts + more where !(1...max).contains(count) {
            throw ValidationError("\(name) is from 1 to \(max).")
        }
        if let rate, !(1...10_000_000).contains(rate) {
            throw ValidationError("--rate is from 1 to 10000000.")
        }
        if let events, events < 1 { throw ValidationError("--events is at least 1.") }
        if events != nil && duration != nil {
            throw ValidationError("Choose --events or --duration.")
        }
    }

    func run() async throws {
        let plan = try plan()
        guard plan.canRecord else {
            throw ExitCode.systemError(record ?? "", .cannotCreate, format)
        }
        let control = BenchControl()
        let signals = StopSignals { _ in control.isStopping.store(true, ordering: .relaxed) }
        let progress = Task.detached { await Bench.showProgress(control) }
        defer { progress.cancel() }
        let report: BenchReport
        do throws(ClientError) {
            report = try await plan.run(control)
        } catch {
            throw unreachable(error)
        }
        progress.cancel()
        withExtendedLifetime(signals) {}
        for notice in control.removeNotices() { Output.note(notice) }
        try finish(report)
    }

    private func plan() throws -> BenchPlan {
        let address = try connection.address()
        var plan = BenchPlan(address: address, event: try EventText(event).bytes)
        plan.tls = try connection.tls.options(for: address)
        plan.token = try connection.token()
        plan.connections = connections
        plan.pipeline = pipeline
        plan.rate = rate
        plan.threads = min(threads, connections)
        plan.machine = machine
        plan.instancePrefix = prefix
        plan.instances = instances
        plan.usesDedup = dedup
        plan.eventsMax = events
        plan.duration = duration?.duration ?? (events == nil ? .seconds(10) : .seconds(1_000_000))
        plan.timeout = connection.patience
        plan.reconnects = reconnect
        plan.recordPath = record
        return plan
    }

    private static func showProgress(_ control: BenchControl) async {
        var last = 0
        var seconds = 0
        while true {
            // Ends with the run: the pause throws in a cancelled task.
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            seconds += 1
            let acknowledged = control.acknowledged.load(ordering: .relaxed)
            let refused = control.refused.load(ordering: .relaxed)
            for notice in control.removeNotices() { Output.note(notice) }
            let errors = refused > 0 ? "  \(refused) errors" : ""
            Output.note("\(seconds) s  \(acknowledged - last)/s  \(acknowledged) in total\(errors)")
            last = acknowledged
        }
    }

    private func finish(_ report: BenchReport) throws {
        let tally = report.tally
        if tally.acknowledged == 0, let problem = tally.tlsProblem {
            throw unreachable(.tlsFailed(problem))
        }
        if tally.sent == 0, let reason = tally.breaks.first {
            throw unreachable(.unavailable(reason))
        }
        if format.json {
            try Output.line(report.json)
        } else {
            try format.table(report.rows, under: [.init("", .faint)], hasHeader: false)
        }
        if tally.unsent > 0 {
            Output.note(
                """
                note: \(tally.unsent) events were due and not sent before the end, because \
                --pipeline had no room or the connection was away: the latencies are without them
                """)
        }
        for (code, line) in tally.examples.sorted(by: { $0.key < $1.key }) {
            Output.note(format.noteStyle.safe("first \(code): \(line)"))
        }
        if let reason = tally.breaks.first {
            Output.note("error: \(tally.breaks.count) connections broke: \(reason)")
        }
        if !tally.breaks.isEmpty || tally.unknown > 0 { throw ExitCode.temporary }
        if tally.errorCount > 0 { throw ExitCode.refused }
    }

    private func unreachable(_ error: ClientError) -> ExitCode {
        Output.note(Failures.text(error, format.noteStyle))
        // The exit code says it too, and a closed output must not change that.
        if format.json { try? Output.line(Failures.json(error)) }
        return .unavailable
    }
}
