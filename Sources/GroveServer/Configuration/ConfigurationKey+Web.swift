import GroveNetwork
import OrderedJSON

extension ConfigurationKey {
    /// HTTP and the console.
    static let web: [ConfigurationKey] = [
        ConfigurationKey(
            "web-listen", .texts, default: ["auto"],
            reason: "Addresses for HTTP and the console, in the form of listen. auto means "
                + "127.0.0.1:7480, if all addresses of listen are of this machine and the port is "
                + "free; off means none. Where Unix sockets, or clients' certificates, keep other "
                + "users of the machine from the addresses of listen, the one of auto takes a "
                + "token, also while there is no principal."
        ) { (configuration, value) throws(ConfigurationError) in
            try configuration.listenForHTTP(on: value.checkedTexts, isReadOnly: false)
        },
        ConfigurationKey(
            "web-listen-read", .texts, default: [],
            reason: "Addresses for HTTP at which only requests that read are carried out, whatever "
                + "the client may do elsewhere."
        ) { (configuration, value) throws(ConfigurationError) in
            try configuration.listenForHTTP(on: value.checkedTexts, isReadOnly: true)
        },
        ConfigurationKey(
            "web-hosts", .texts, default: [],
            reason: "Names by which the server may be called over HTTP, besides localhost and "
                + "addresses. A request for another name is refused, because a web page can let "
                + "its own name point to this machine."
        ) { (configuration, value) throws(ConfigurationError) in
            configuration.options.web.hosts = try value.checkedTexts.map {
                (text) throws(ConfigurationError) in
                let isName = text.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
                        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
                }
                guard isName, !text.isEmpty else {
                    throw ConfigurationError("must be names without a port, not \"\(text)\"")
                }
                return text.lowercased()
            }
        },
        ConfigurationKey(
            "web-origins", .texts, default: [],
            reason: "Origins of other pages that may use the server over HTTP, such as "
                + "https://shop.example. Requests of all other pages are refused."
        ) { (configuration, value) throws(ConfigurationError) in
            configuration.options.web.origins = try value.checkedTexts.map {
                (text) throws(ConfigurationError) in
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                guard parts.count == 3, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty,
                    !parts[2].isEmpty
                else {
                    throw ConfigurationError(
                        "must be http://host or https://host with an optional port, not \"\(text)\""
                    )
                }
                return text.lowercased()
            }
        },
        .flag("web-console", \.web.hasConsole, reason: "Whether the console is served at /."),
        .integer(
            "web-idle-ms", 100...3_600_000, \.web.idleMilliseconds, unit: "milliseconds",
            reason: "Time after an answer in which the client of a connection with HTTP must begin "
                + "another request. Streams and WebSocket have no such time."),
    ]
}

extension ServerConfiguration {
    /// Adds addresses for HTTP.
    mutating func listenForHTTP(
        on texts: [String], isReadOnly: Bool
    ) throws(ConfigurationError) {
        for text in texts {
            switch text {
            case "auto": options.web.isAutomatic = true
            case "off": break
            default:
                let isEncrypted = text.hasPrefix(Self.tlsPrefix)
                let rest = isEncrypted ? String(text.dropFirst(Self.tlsPrefix.count)) : text
                let addresses = try Self.addresses([rest])
                guard !isEncrypted || addresses.allSatisfy({ !$0.isUnix }) else {
                    throw ConfigurationError(
                        "a Unix socket needs no TLS: its file says who may connect; write "
                            + "unix:path")
                }
                options.web.addresses += addresses.map {
                    WebOptions.Address($0, isEncrypted: isEncrypted, isReadOnly: isReadOnly)
                }
            }
        }
    }
}
