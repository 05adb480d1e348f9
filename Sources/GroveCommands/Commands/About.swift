import ArgumentParser
import GroveClient
import GroveServer
import OrderedJSON

/// `grove definitions`
struct Definitions: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the machines the server hosts.",
        discussion: """
            One line each: name, version, hash; behind it how the machine is held, if it is \
            suspended or set aside as a whole.

              grove definitions
            """)

    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let items = try await client.definitions()
        if format.json {
            for item in items { try Output.line(item.text) }
        } else {
            let hasHeld = items.contains { $0.held != nil }
            let rows = items.map { item in
                [item.name, item.version ?? "", item.hash ?? ""]
                    + (hasHeld ? [HeldWord.text(item.held)] : [])
            }
            try format.table(
                rows,
                under: [.init("machine", .strong), .init("version"), .init("hash", .faint)]
                    + (hasHeld ? [.init("held", .bad)] : []))
        }
    }
}

/// `grove ping`
struct Ping: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask whether the server is there, and how long the way takes.",
        discussion: """
            Prints address, server version and the time of one round trip on a connection that \
            stands already, in milliseconds. With --json the server's greeting and "rtt_us" in \
            microseconds. Exit code 69 means that nobody answered.

              grove ping
              grove ping --server example.org:7400 --timeout 500ms
            """)

    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags

    func run(with client: Client) async throws {
        let greeting = try await client.connect()
        let micros = try await client.ping() / .microseconds(1)
        if format.json {
            var text = greeting.text
            text.removeLast()
            text += Array(",\"rtt_us\":\(Int64(micros))}".utf8)
            try Output.line(text)
        } else {
            let millis = (micros / 10).rounded() / 100
            let version = format.style.safe(greeting.version ?? "?")
            try Output.line("\(client.options.server)  grove \(version)  \(millis) ms")
        }
    }
}

/// `grove stats`
struct Stats: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what the server does: rates, times, sizes.",
        discussion: """
            Asks twice, with --interval in between, and shows what has come in that time: how many \
            events in a second, and how long half of them, nine of ten and 99 of 100 took, as \
            exact as the server's buckets are. 'grove top' keeps that on the screen.

            With --all, and with --json, the server's counters and gauges as they are, since its \
            start, one a line. With --prometheus the text that Prometheus reads: let a timer write \
            it to a file for the node exporter's textfile collector, or serve it with any web \
            server.

              grove stats
              grove stats --interval 10s
              grove stats --all
              grove stats --prometheus > /var/lib/node-exporter/grove.prom.new
            """)

    @OptionGroup var connection: ConnectionFlags
    @OptionGroup var format: FormatFlags
    @Option(help: "How long to look: 500ms, 10s, 1m.") var interval = TimeSpan(seconds: 1)
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
        // The client has read the greeting before: it is JSON.
        let node = (try? JSONValue(parsing: greeting.text))?["node"]?.string
        let text = PrometheusText.render(
            document.value(document.root).object ?? JSONObject(),
            server: [("version", greeting.version ?? ""), ("node", node ?? "")])
        // The text ends its lines itself.
        try Output.line(String(text.dropLast()))
    }
}

extension Stats {
    private func showChange(since reply: Reply, _ client: Client) async throws {
        let before = StatsSample(reply)
        try await Task.sleep(for: interval.duration)
        let change = StatsChange(before, StatsSample(try await client.stats()))
        guard let change else {
            throw ClientError.connectionLost("the server was started anew meanwhile")
        }
        try format.table(
            StatsText(change: change).rows, under: [.init("", .faint), .init("", .strong)],
            hasHeader: false)
    }
}

/// `grove version`
struct Version<Application: GroveApplication>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "version",
            abstract: "Print the version of this program; 'grove ping' prints the server's.",
            discussion: """
                With --json an object: "program", "version", and "grove", the version of Grove in \
                it.

                  grove version
                """)
    }

    @Flag(help: "Write a JSON object.") var json = false

    /// The application's version, if it has one, and Grove's.
    static var text: String {
        let grove = "grove \(ToolVersion.current)"
        if Application.version.isEmpty { return grove }
        return "\(Application.commandName) \(Application.version) (\(grove))"
    }

    func run() throws {
        guard json else { return try Output.line(Self.text) }
        let isGrove = Application.version.isEmpty
        let object: JSONValue = [
            "program": .string(Application.commandName),
            "version": .string(isGrove ? ToolVersion.current : Application.version),
            "grove": .string(ToolVersion.current),
        ]
        try Output.line(object.serialized())
    }
}
