import ArgumentParser
import Dispatch
import GroveClient
import GroveNetwork
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `grove bench`
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Load a server with events and measure throughput and latency.",
        discussion: """
            Every connection keeps --pipeline requests under way and sends the next when a reply \
            comes (a closed loop: a slow server is asked less). Latency is from putting a request \
            together to reading its reply, in microseconds, of acknowledged events only. Progress \
            goes to standard error once a second.

              grove bench
              grove bench --connections 64 --pipeline 32 --duration 30s --json
              grove bench --events 100000 --dedup --reconnect --record acks.jsonl

            The last line is for crash tests: each event has its own dedup key, those without a \
            reply are repeated after a reconnect, and each acknowledged one is appended to the \
            file as {"to":…,"v":…,"dedup":…}.

            Exit code 1 means that the server refused events, 69 that it can't be reached, 75 that \
            a connection broke or replies were missing.
            """)

    @Option(help: "How many connections.") var connections = 16
    @Option(help: "How many requests each connection keeps under way.") var pipeline = 16
    @Option(help: "How many threads share the connections.") var threads = 1
    @Option(help: "To how many instances the events go, at random.") var instances = 100
    @Option(help: "How the instances' names begin; a number of seven digits follows.")
    var prefix = "bench-"
    @Option(help: ArgumentHelp("How long to send (default: 10s).", valueName: "time"))
    var duration: TimeSpan?
    @Option(help: "How many events to send, however long it takes.") var events: Int?
    @Option(help: "The machine.") var machine = "counter"
    @Option(help: "The event: a word or JSON.") var event = "increment"
    @Flag(inversion: .prefixedNo, help: "Whether each event has a dedup key of its own.")
    var dedup = false
    @Flag(help: "Go on when a connection breaks, instead of ending with code 75.")
    var reconnect = false
    @Option(help: ArgumentHelp("Append acknowledged events to this file.", valueName: "file"))
    var record: String?
    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func validate() throws {
        let counts = [("--connections", connections, 10_000), ("--pipeline", pipeline, 1024)]
        let more = [("--threads", threads, 256), ("--instances", instances, 10_000_000)]
        for (name, count, max) in counts + more where !(1...max).contains(count) {
            throw ValidationError("\(name) is from 1 to \(max).")
        }
        if let events, events < 1 { throw ValidationError("--events is at least 1.") }
        if events != nil && duration != nil {
            throw ValidationError("Choose --events or --duration.")
        }
    }

    func run() async throws {
        let plan = try plan()
        let endpoints: [SocketAddress]
        do throws(HostLookup.Failure) {
            endpoints = try plan.address.endpoints()
        } catch {
            throw unreachable(error.description)
        }
        if let record, AckRecorder(path: record) == nil {
            Output.note("error: \(record): \(String(cString: strerror(errno)))")
            throw ExitCode(EX_CANTCREAT)
        }
        let control = BenchControl()
        let signals = StopSignals { _ in control.isStopping.store(true, ordering: .relaxed) }
        let progress = Task.detached { await Bench.showProgress(control) }
        let start = ContinuousClock.now
        let tally = await Bench.run(plan, endpoints, control)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        progress.cancel()
        withExtendedLifetime(signals) {}
        for notice in control.takeNotices() { Output.note(notice) }
        try finish(BenchReport(plan: plan, tally: tally, seconds: seconds))
    }

    private func plan() throws -> BenchPlan {
        BenchPlan(
            address: try connection.address(), connections: connections, pipeline: pipeline,
            threads: min(threads, connections), machine: machine, instancePrefix: prefix,
            instances: instances, event: try EventText(event).bytes, usesDedup: dedup,
            eventsMax: events,
            duration: duration?.duration ?? (events == nil ? .seconds(10) : .seconds(1_000_000)),
            timeout: connection.patience, reconnects: reconnect, recordPath: record,
            run: String(UInt64.random(in: .min ... .max), radix: 36))
    }

    /// Runs all threads and adds up what they counted.
    private static func run(
        _ plan: BenchPlan, _ endpoints: [SocketAddress], _ control: BenchControl
    ) async -> BenchTally {
        await withTaskGroup(of: BenchTally.self) { group in
            for thread in 0..<plan.threads {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        let queue = DispatchQueue(label: "grove.bench.\(thread)")
                        queue.async {
                            let loop = BenchLoop(
                                plan, thread: thread, endpoints: endpoints, control: control)
                            continuation.resume(returning: loop.run())
                        }
                    }
                }
            }
            var sum = BenchTally()
            for await tally in group { sum.add(tally) }
            return sum
        }
    }

    private static func showProgress(_ control: BenchControl) async {
        var last = 0
        var seconds = 0
        while true {
            // Ends when the run does: sleeping throws in a cancelled task.
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
            seconds += 1
            let acknowledged = control.acknowledged.load(ordering: .relaxed)
            let refused = control.refused.load(ordering: .relaxed)
            for notice in control.takeNotices() { Output.note(notice) }
            let errors = refused > 0 ? "  \(refused) errors" : ""
            Output.note("\(seconds) s  \(acknowledged - last)/s  \(acknowledged) in all\(errors)")
            last = acknowledged
        }
    }

    private func finish(_ report: BenchReport) throws {
        let tally = report.tally
        if tally.sent == 0, let reason = tally.breaks.first { throw unreachable(reason) }
        if format.json {
            try Output.line(report.json)
        } else {
            try format.table(report.rows, under: [.init("", .faint)], hasHeader: false)
        }
        for (code, line) in tally.examples.sorted(by: { $0.key < $1.key }) {
            Output.note(format.noteStyle.safe("first \(code): \(line)"))
        }
        if let reason = tally.breaks.first {
            Output.note("error: \(tally.breaks.count) connections broke: \(reason)")
        }
        if !tally.breaks.isEmpty || tally.unknown > 0 { throw ExitCode(EX_TEMPFAIL) }
        if tally.errorCount > 0 { throw ExitCode(1) }
    }

    private func unreachable(_ reason: String) -> ExitCode {
        Output.note(Failures.text(.unavailable(reason), format.noteStyle))
        return ExitCode(EX_UNAVAILABLE)
    }
}
