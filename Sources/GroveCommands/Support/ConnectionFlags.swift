import ArgumentParser
import Glibc
import GroveClient

/// The flags of every command that talks to a server.
struct ConnectionFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server's address: HOST:PORT, tls:HOST:PORT or unix:PATH. (default: "
                + "$GROVE_SERVER, else 127.0.0.1:7400)", valueName: "address"))
    var server: ServerAddress?

    @Option(
        help: ArgumentHelp(
            "The longest wait for the connection and for each reply: 500ms, 10s, 2m. (default: "
                + "10s; 30s for await and --settle)",
            valueName: "time"))
    var timeout: TimeSpan?

    @Option(
        help: ArgumentHelp(
            "A file with the token that says who you are; only its user may read it. (default: "
                + "$GROVE_TOKEN, which is the token itself)", valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @OptionGroup(title: "TLS") var tls: TLSFlags

    @OptionGroup var format: FormatFlags

    /// The longest time for the connection and for each reply.
    var patience: Duration { timeout?.duration ?? .seconds(10) }

    /// The longest time that the server waits for effects and states, at most an hour.
    func wait() throws(ValidationError) -> Duration {
        guard let timeout else { return .seconds(30) }
        guard timeout.duration <= .seconds(3600) else {
            throw ValidationError("The server waits for an hour at most: --timeout 1h.")
        }
        return timeout.duration
    }

    /// The address of the flag, else of the environment, else the default.
    func address() throws(ValidationError) -> ServerAddress {
        if let server { return server }
        return try ConnectionFlags.standardAddress()
    }

    /// The environment's address, or the default.
    static func standardAddress() throws(ValidationError) -> ServerAddress {
        guard let text = ConnectionFlags.environment("GROVE_SERVER") else { return .standard }
        guard let address = ServerAddress(text) else {
            throw ValidationError(
                "GROVE_SERVER is none of HOST:PORT, tls:HOST:PORT and unix:PATH: \(text)")
        }
        return address
    }

    /// The token of the file, else of the environment. There is no flag with the token itself:
    /// other users can read command lines.
    func token() throws -> ClientToken? {
        if let tokenFile { return try TokenFile.read(tokenFile, format) }
        return ConnectionFlags.environment("GROVE_TOKEN").map { text in
            // Without the newline at its end, as from a file.
            ClientToken(String(text.prefix { !$0.isWhitespace }))
        }
    }

    func clientOptions() throws -> ClientOptions {
        let server = try address()
        return ClientOptions(
            server: server, tls: try tls.options(for: server), connectTimeout: patience,
            requestTimeout: patience, retry: .never, name: "grove/\(ToolVersion.current)",
            token: try token())
    }

    /// The value of a variable; `nil` for an empty one too.
    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
