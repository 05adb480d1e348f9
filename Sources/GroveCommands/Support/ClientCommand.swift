import ArgumentParser
import GroveClient
import OrderedJSON

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The flags of every command that talks to a server.
struct ConnectionFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the server is: HOST:PORT or unix:PATH. (default: $GROVE_SERVER, else "
                + "127.0.0.1:7400)", valueName: "address"))
    var server: ServerAddress?

    @Option(
        help: ArgumentHelp(
            "How long to wait for the connection and for each reply: 500ms, 10s, 2m. (default: "
                + "10s; 30s for what await and --settle wait for)",
            valueName: "time"))
    var timeout: TimeSpan?

    /// How long the connection and each reply may take.
    var patience: Duration { timeout?.duration ?? .seconds(10) }

    /// How long the server waits for effects and states; it takes no more than an hour.
    func wait() throws(ValidationError) -> Duration {
        guard let timeout else { return .seconds(30) }
        guard timeout.duration <= .seconds(3600) else {
            throw ValidationError("The server waits for an hour at most: --timeout 1h.")
        }
        return timeout.duration
    }

    /// The address to use: the flag's, the environment's, or the default.
    func address() throws(ValidationError) -> ServerAddress {
        if let server { return server }
        return try ConnectionFlags.standardAddress()
    }

    /// The environment's address, or the default.
    static func standardAddress() throws(ValidationError) -> ServerAddress {
        guard let text = ConnectionFlags.environment("GROVE_SERVER"), !text.isEmpty else {
            return .standard
        }
        guard let address = ServerAddress(text) else {
            throw ValidationError("GROVE_SERVER is neither HOST:PORT nor unix:PATH: \(text)")
        }
        return address
    }

    /// What a client needs to know.
    func clientOptions() throws(ValidationError) -> ClientOptions {
        ClientOptions(
            server: try address(), connectTimeout: patience, requestTimeout: patience,
            retry: .never, name: "grove/\(ToolVersion.current)",
            token: ConnectionFlags.environment("GROVE_TOKEN"))
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

/// The flag of commands whose output programs may want to read.
struct FormatFlags: ParsableArguments {
    @Flag(help: "Write one JSON value per line, with the fields as the server sent them.")
    var json = false

    @Option(help: "Colours: auto (on a terminal, unless NO_COLOR is set), always, or never.")
    var color = ColorChoice.auto

    /// How standard output looks.
    var style: Style { Style(of: STDOUT_FILENO, color) }

    /// How standard error looks.
    var noteStyle: Style { Style(of: STDERR_FILENO, color) }

    /// Writes rows: on a terminal under the names of their columns, elsewhere plain.
    func table(
        _ rows: [[String]], under columns: [Table.Column], hasHeader: Bool = true
    ) throws {
        let lines = Table.lines(rows, under: columns, hasHeader: hasHeader, style: style)
        for line in lines { try Output.line(line) }
    }
}

/// A command that talks to a server: errors become messages and exit codes in one place.
protocol ClientCommand: AsyncParsableCommand {
    var connection: ConnectionFlags { get }
    var format: FormatFlags { get }
    /// Does the command's work.
    func run(with client: Client) async throws
}

extension ClientCommand {
    func run() async throws {
        let client = Client(options: try connection.clientOptions())
        do {
            try await run(with: client)
        } catch let error as ClientError {
            try report(error)
            throw Failures.exitCode(error)
        }
    }

    /// Follows the server until `work` ends by itself, or until the process is asked to stop, which
    /// is as good an end: `work` is then cancelled. It is given a call by which it can stop itself.
    /// Closes the client behind it.
    func untilStopped(
        _ client: Client,
        _ work: @escaping @Sendable (_ stop: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let signals = StopSignals { _ in stop.yield() }
        let working = Task { try await work { stop.yield() } }
        let stopping = Task { for await _ in stops { working.cancel() } }
        let result = await working.result
        stopping.cancel()
        withExtendedLifetime(signals) {}
        await client.close()
        do {
            try result.get()
        } catch is CancellationError {
            // Stopped while it waited.
        } catch ClientError.cancelled {
            // Stopped while the server was asked.
        }
    }

    /// Tells people, and with `--json` programs too, what went wrong.
    func report(_ error: ClientError) throws(ExitCode) {
        Output.note(Failures.text(error, format.noteStyle))
        if format.json { try Output.line(Failures.json(error)) }
    }

    /// Writes a reply: its fields as one line of JSON, or one field a line.
    ///
    /// - Parameter hidden: Fields that people are shown in another way.
    func show(_ reply: Reply, without hidden: Set<String> = []) throws {
        if format.json { return try Output.line(reply.text) }
        let document = reply.document
        var rows: [[String]] = []
        for (name, value) in document.members(of: document.root) {
            let name = document.plainText(name)
            if name != "id", name != "ok", !hidden.contains(name) {
                rows.append([name, document.plainText(value)])
            }
        }
        try format.table(rows, under: [.init("", .faint), .init("")], hasHeader: false)
    }
}
