import ArgumentParser
import GroveClient
import OrderedJSON

import struct GroveEngine.Timestamp
import struct GroveProtocol.TimestampText

struct Top: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Keep the server's activity on the screen: rates, times, sizes.",
        discussion: """
            Shows the numbers of 'grove stats' every --interval, until q, Ctrl-C or --count. If \
            standard output is no terminal, it writes one line each time, with --json an object. \
            While the server is away, it waits.

              grove top
              grove top --interval 10s --count 6 --json
            """)

    @Option(help: "The time between two reads: 500ms, 2s, 1m.") var interval = TimeSpan(seconds: 2)
    @Option(help: "Stop after this number of intervals.") var count: Int?
    @OptionGroup var connection: ConnectionFlags

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func run(with client: Client) async throws {
        try await untilStopped(client) { stop in try await follow(client, onQuit: stop) }
    }

    private func follow(_ client: Client, onQuit: @escaping @Sendable () -> Void) async throws {
        // An absent server is an error at the start; later the command waits for it.
        var last: StatsSample? = StatsSample(try await client.stats())
        let isScreen = format.style.isTerminal && !format.json
        let screen = isScreen ? TerminalScreen(onQuit: onQuit) : nil
        var shown = 0
        var isAway = false
        while shown < count ?? .max {
            try await Task.sleep(for: interval.duration)
            do {
                let sample = StatsSample(try await client.stats())
                isAway = false
                let change = last.flatMap { StatsChange($0, sample) }
                last = sample
                guard let change else { continue }
                try show(change, client, screen)
                shown += 1
            } catch let error as ClientError where error.isRetryable {
                let note = "away: \(format.noteStyle.safe(error.message)); trying again"
                if let screen {
                    screen.show(["\(client.options.server)  \(note)"])
                } else if !isAway {
                    Output.note(note)
                }
                isAway = true
                last = nil
            }
        }
    }

    private func show(_ change: StatsChange, _ client: Client, _ screen: TerminalScreen?) throws {
        if format.json { return try Output.line(change.json.serialized()) }
        let time = HumanTime.now
        guard let screen else {
            let moment = TimestampText.string(Timestamp(milliseconds: time))
            return try Output.line("\(moment)  \(change.line)")
        }
        let head = "grove top  \(client.options.server)  \(HumanTime.local(time, now: time))"
        screen.show([head, ""] + Table.lines(change.rows) + ["", "q ends"])
    }
}
