import ArgumentParser
import GroveClient
import GroveServer
import GroveWire
import OrderedJSON

struct Stats: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the server's activity: rates, times, sizes.",
        discussion: """
            Reads the server's numbers twice, with --interval in between, and shows the \
            difference: the events per second, and the times within which 50, 90 and 99 % of them \
            were acknowledged, as exactly as the server's buckets allow. 'grove top' keeps the \
            same on the screen.

            With --series shows what the server did and had in the last ten minutes, second by \
            second, or in the last two hours, by ten seconds: also before anybody looked. The \
            columns are the time; steps, requests, records and errors per second; the times within \
            which 99 % of the events were acknowledged and of the commits made; connections; and \
            the bytes in buffers.

            With --all, and with --json, shows the server's counters and gauges since its start, \
            one per line. With --prometheus writes Prometheus's text format: let a timer write it \
            to a file for the node exporter's textfile collector, or serve it with any web server.

              grove stats
              grove stats --interval 10s
              grove stats --series 1s | tail -60
              grove stats --all
              grove stats --prometheus > /var/lib/node-exporter/grove.prom.new
            """)

    @OptionGroup var connection: ConnectionFlags
    @Option(help: "The time between the two reads: 500ms, 10s, 1m.")
    var interval = TimeSpan(seconds: 1)
    @Option(help: "Show the numbers over time: 1s for each second, 10s for each ten.")
    var series: SeriesStep?
    @Flag(help: "Show every counter and gauge since the server's start.") var all = false
    @Flag(help: "Write Prometheus's text format.") var prometheus = false

    func validate() throws {
        if prometheus, format.json {
            throw ValidationError("--prometheus and --json are two formats; choose one.")
        }
        if series != nil, prometheus || all {
            throw ValidationError("--series, --all and --prometheus exclude each other.")
        }
    }

    func run(with client: Client) async throws {
        if let series {
            let numbers = try await client.stats(series: series)
            return format.json ? try Output.line(numbers.text) : try show(numbers)
        }
        let reply = try await client.stats()
        guard prometheus else {
            return all || format.json ? try show(reply) : try await showChange(since: reply, client)
        }
        let greeting = try await client.connect()
        let document = reply.document
        // The client has parsed the greeting before: it is JSON.
        let node = (try? JSONValue(parsing: greeting.text))?["node"]?.string
        let text = PrometheusText.render(
            document.value(document.root).object ?? JSONObject(),
            server: [("version", greeting.version ?? ""), ("node", node ?? "")])
        // The text ends with a newline already.
        try Output.line(String(text.dropLast()))
    }

    private func show(_ series: NumberSeries) throws {
        let columns = [Table.Column("Time", .faint)] + NumberSeries.columns.map { .init($0) }
        try format.table(series.rows(now: HumanTime.now), under: columns)
    }

    private func showChange(since reply: Reply, _ client: Client) async throws {
        let before = StatsSample(reply)
        try await Task.sleep(for: interval.duration)
        guard let change = StatsChange(before, StatsSample(try await client.stats())) else {
            throw ClientError.connectionLost("the server was started anew meanwhile")
        }
        try format.table(
            change.rows, under: [.init("", .faint), .init("", .strong)], hasHeader: false)
    }
}
