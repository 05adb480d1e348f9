import GroveNetwork
import GroveProtocol

/// The keys about where connections come from and what they may take together.
extension ConfigurationKey {
    static let connections: [ConfigurationKey] = [
        ConfigurationKey(
            name: "socket-mode", kind: .word(["0600", "0660", "0666"]), standard: .text("0600"),
            unit: "",
            reason: "Who may connect to a Unix socket: the server's user, its group too, or "
                + "everybody on this machine."),
        ConfigurationKey(
            name: "max-connections-per-address", kind: .integer(1...1_000_000),
            standard: .integer(ServerLimits().connectionsPerPeerMax), unit: "connections",
            reason: "Open connections from one IP address, also from this machine's; of IPv6 "
                + "addresses the first half counts. Past it a client gets one error line, "
                + "OVERLOADED. Unix sockets have no addresses and are counted by max-connections "
                + "alone.", isReloadable: true),
        ConfigurationKey(
            name: "max-buffers", kind: .integer(1 << 20...1 << 40),
            standard: .integer(ServerLimits().bufferBytesMax), unit: "bytes",
            reason: "What all connections together have unsent, and read without its end. From "
                + "half of it on, each has its share of the other half instead of max-pending, "
                + "and no subscription is begun; past it the connections that hold most are "
                + "closed.",
            isReloadable: true),
    ]
}

extension ServerConfiguration {
    /// Takes over the values of these keys.
    mutating func configureConnections(_ values: ConfigurationValues) {
        options.unixSocketMode = UInt32(values.text("socket-mode"), radix: 8) ?? 0o600
        options.limits.connectionsPerPeerMax = values.integer("max-connections-per-address")
        options.limits.bufferBytesMax = values.integer("max-buffers")
    }

    /// The address that a text such as `unix:/run/grove/grove.sock` means; `nil` for others.
    static func unixAddress(_ text: String) throws(ConfigurationProblem) -> SocketAddress? {
        guard case .unix(let path)? = AddressText(text) else { return nil }
        if let problem = SocketAddress.pathProblem(path) {
            throw ConfigurationProblem(key: "listen", message: problem)
        }
        return .unix(path: path)
    }
}
