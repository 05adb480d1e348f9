import ArgumentParser
import GroveClient
import GroveServer
import OrderedJSON

struct Stats: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the server's activity: rates, times, sizes.",
        discussion: """
            Reads the server's numbers twice, with --interval in between, and shows the \
            difference: the events per second, and the times within which 50, 90 and 99 % of them \
            were acknowledged, as exactly as the server's buckets allow. 'grove top' keeps the \
            same on the screen.

            With --all, and with --json, shows the server's counters and gauges since its start, \
            one per line. With --prometheus writes Prometheus's text format: let a timer write it \
            to a file for the node exporter's textfile collector, or serve it with any web server.

              grove stats
              grove stats --interval 10s
              grove stats --all
              grove stats --prometheus > /var/lib/node-exporter/grove.prom.new
            """)

    @OptionGroup var connection: ConnectionFlags
    @Option(help: "The time between the two reads: 500ms, 10s, 1m.")
    var interval = TimeSpan(seconds: 1)
    @Flag(help: "Show every counter and gauge since the server's start.") var all = false
    @Flag(help: "Write Prometheus's text format.") var prometheus = false

    func validate() throws {
        if prometheus, format.json {
            throw ValidationError("--prometheus and --json are two formats; choose one.")
        }
    }

    func run(with client: Client) async throws {
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
