import GroveClient

/// The connection flags that a shell was started with: each line gets those that its command has
/// and the line hasn't.
struct ShellFlags: Sendable {
    private struct Flag {
        let name: String
        /// `nil` for a flag without one.
        let value: String?
        /// Whether it is about one server, so that a line for another one doesn't get it.
        let isOfServer: Bool

        var word: String { value.map { "\(name)=\($0)" } ?? name }
    }

    private let flags: [Flag]

    init(_ connection: ConnectionFlags) {
        var flags: [Flag] = []
        func add(_ name: String, _ value: String?, isOfServer: Bool = true) {
            guard let value else { return }
            flags.append(Flag(name: name, value: value, isOfServer: isOfServer))
        }
        add("--server", connection.server?.description)
        add("--token-file", connection.tokenFile)
        add("--tls-ca", connection.tls.tlsCa)
        add("--tls-pin", connection.tls.tlsPin?.description)
        add("--tls-certificate", connection.tls.tlsCertificate)
        add("--tls-key", connection.tls.tlsKey)
        add("--timeout", connection.timeout?.description, isOfServer: false)
        if connection.format.color != .auto {
            add("--color", connection.format.color.rawValue, isOfServer: false)
        }
        if connection.format.json {
            flags.append(Flag(name: "--json", value: nil, isOfServer: false))
        }
        self.flags = flags
    }

    /// The words with the flags after those that name the command. A line that names a server or a
    /// data file gets none that are about the shell's server.
    func added(to words: [String], _ commands: ShellCommands) -> [String] {
        guard let (command, count) = commands.command(of: words), command.subcommands.isEmpty
        else { return words }
        let own = words.dropFirst(count).prefix { $0 != "--" }
        func has(_ name: String) -> Bool {
            own.contains { $0 == name || $0.hasPrefix(name + "=") }
        }
        let isElsewhere = has("--server") || has("--data")
        let added = flags.filter { flag in
            command.option(flag.name) != nil && !has(flag.name)
                && !(flag.isOfServer && isElsewhere)
        }
        return words.prefix(count) + added.map(\.word) + words.dropFirst(count)
    }
}
