import ArgumentParser
import GroveAccess
import GroveClient
import GroveEngine

/// A command about accounts: at a server, or with `--data` beside one that is stopped.
protocol AccountsCommandLine: ClientCommand {
    /// The words before the command's name: `principal`.
    static var family: String { get }
    /// Whether it makes a missing data file, once its change isn't refused.
    static var createsFile: Bool { get }
    var data: DataFlag { get }
    func run(in place: some AccountsPlace) async throws
}

extension AccountsCommandLine {
    static var createsFile: Bool { false }

    /// The command's words: `principal create`.
    static var words: String { family.isEmpty ? _commandName : "\(family) \(_commandName)" }

    func run(with client: Client) async throws { try await run(in: ServerAccounts(client: client)) }

    func run() async throws {
        guard let file = data.data else { return try await connectAndRun() }
        guard connection.server == nil, connection.tokenFile == nil else {
            throw ValidationError(
                "--data is for a stopped server's file: leave out --server and --token-file.")
        }
        let place = try open(file)
        do {
            try await run(in: place)
            try place.close()
        } catch let error as AccountsRefusal {
            let error = try error.clientError
            // The exit code says it too, and a closed output must not change that.
            try? report(error)
            throw exitCode(error)
        } catch let error as ClientError {
            // The exit code says it too, and a closed output must not change that.
            try? report(error)
            throw exitCode(error)
        } catch let error as StoreOpenError {
            throw report(error)
        } catch let error as StoreError {
            throw format.failure(.inputOutput, "\(file): \(error)")
        }
    }

    private func open(_ file: String) throws -> DataAccounts {
        do throws(StoreOpenError) {
            return try DataAccounts(path: file, createsFile: Self.createsFile)
        } catch {
            throw report(error)
        }
    }

    private func report(_ error: StoreOpenError) -> ExitCode {
        let code = error.report(format)
        if case .owned = error {
            let hint = format.noteStyle.paint("hint:", .accent)
            Output.note("\(hint) a running server has it open: ask that one with --server")
        }
        return code
    }

    /// Writes what has changed, one difference a line; with `--json` the reply.
    func show(_ answer: AccountsReply) throws {
        if format.json { return try Output.line(answer.reply.text) }
        for line in answer.changes { try Output.line(line) }
        if answer.changes.isEmpty { Output.note("nothing differs") }
    }

    /// Writes a token that was made: its text alone to standard output.
    func show(_ made: NewToken) throws {
        if format.json { return try Output.line(made.reply.text) }
        try Output.line(made.token.text)
        let style = format.noteStyle
        let end = made.expires.map { "ends \($0)" } ?? "never ends"
        Output.note(
            style.safe("token \(made.id) of \(made.principal) \(end); it isn't shown again"))
        Output.note(
            style.paint("hint:", .accent)
                + " keep it in a file that only its user can read, and use it with --token-file "
                + "FILE or GROVE_TOKEN")
    }
}
