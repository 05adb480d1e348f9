import ArgumentParser
import GroveClient
import OrderedJSON

/// A command that talks to a server: errors become messages and exit codes in one place.
protocol ClientCommand: AsyncParsableCommand {
    var connection: ConnectionFlags { get }
    func run(with client: Client) async throws
    func exitCode(_ error: ClientError) -> ExitCode
}

extension ClientCommand {
    var format: FormatFlags { connection.format }

    func exitCode(_ error: ClientError) -> ExitCode { Failures.exitCode(error) }

    func run() async throws { try await connectAndRun() }

    /// Runs the command with a client, and reports the client's error.
    func connectAndRun() async throws {
        let client = Client(options: try connection.clientOptions())
        do {
            try await run(with: client)
        } catch let error as ClientError {
            // The exit code says it too, and a closed output must not change that.
            try? report(error)
            throw exitCode(error)
        }
    }

    /// Runs `work` until it ends, the process gets a signal to stop, or nothing reads its output
    /// any more, then closes the client. Both cancel `work`, which is no error. `work` can stop
    /// itself by calling its argument.
    func untilStopped(
        _ client: Client,
        _ work: @escaping @Sendable (_ stop: @escaping @Sendable () -> Void) async throws -> Void
    ) async throws {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let signals = StopSignals { _ in stop.yield() }
        OutputReader.whenGone { stop.yield() }
        let working = Task { try await work { stop.yield() } }
        let stopping = Task { for await _ in stops { working.cancel() } }
        let result = await working.result
        stopping.cancel()
        withExtendedLifetime(signals) {}
        await client.close()
        do {
            try result.get()
        } catch is CancellationError {
            // Stopped during a pause.
        } catch ClientError.cancelled {
            // Stopped during a request.
        }
    }

    /// Writes an error for people, and with `--json` for programs too.
    func report(_ error: ClientError) throws(ExitCode) {
        Output.note(Failures.text(error, format.noteStyle))
        if format.json { try Output.line(Failures.json(error)) }
    }

    /// Writes a reply: with `--json` its fields as one line, otherwise `line`.
    func show(_ reply: Reply, as line: String) throws {
        if format.json { try Output.line(reply.text) } else { try Output.line(line) }
    }

    /// Writes a reply: its fields as one line of JSON, or one field per line.
    ///
    /// - Parameter hidden: Fields that the caller shows in another way.
    func show(_ reply: Reply, without hidden: Set<String> = []) throws {
        if format.json { return try Output.line(reply.text) }
        let document = reply.document
        let rows = document.members(of: document.root).compactMap { name, value -> [String]? in
            let name = document.plainText(name)
            if name == "id" || name == "ok" || hidden.contains(name) { return nil }
            return [name, document.plainText(value)]
        }
        try format.table(rows, under: [.init("", .faint), .init("")], hasHeader: false)
    }

    /// Writes an instance: its fields as one line of JSON, or one field, timer or effect per line.
    func show(_ instance: InstanceReply) throws {
        try show(instance.reply, without: ["timers", "effects"])
        guard !format.json else { return }
        let rows =
            instance.timers.map { ["timer"] + EffectLine.columns($0, format.style) }
            + instance.effects.map { ["effect"] + EffectLine.columns($0, format.style) }
        try format.table(rows, under: [.init("", .faint)] + EffectLine.header, hasHeader: false)
    }

    /// The server's word for a hold, for people; empty without a hold.
    func heldText(_ held: String?) -> String { held == "set_aside" ? "set aside" : held ?? "" }
}

extension ArgumentHelp {
    static var instance: ArgumentHelp { "The instance: MACHINE/INSTANCE." }
    static var holdSubject: ArgumentHelp { "The instance, MACHINE/INSTANCE, or a whole MACHINE." }
}
