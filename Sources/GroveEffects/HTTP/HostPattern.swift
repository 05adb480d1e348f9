import GroveNetwork

/// Hosts that requests may go to: one line of the operator's list.
///
/// - `api.example.com`: this host, at its scheme's own port, 443 or 80.
/// - `api.example.com:8443`: this host, at this port.
/// - `*.example.com`: each host whose name ends with it, except `example.com` itself; with or
///   without a port.
/// - `203.0.113.7`, `[2001:db8::7]:8443`: an address in the URL. A name with this address doesn't
///   match.
///
/// Case doesn't matter. A pattern is for names; their addresses are checked, too
/// (``allowsPrivateAddresses``).
public struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    /// Whether its hosts may have an address of this system or its network, whatever
    /// ``HTTPOptions/allowPrivateAddresses`` is.
    public var allowsPrivateAddresses: Bool

    /// The host, or the end of its name.
    private let host: String
    private let isSuffix: Bool
    /// `nil` for the scheme's own.
    private let port: Int?
    private let isVersion6: Bool

    /// Parses a pattern; `nil` for other text, such as a URL or a star in the middle.
    public init?(_ text: String, allowsPrivateAddresses: Bool = false) {
        isSuffix = text.hasPrefix("*.")
        let place = isSuffix ? text.dropFirst(2) : text[...]
        // Parsed as a URL, so that both sides of a comparison have the same form.
        guard !place.contains(where: { "/?#".contains($0) }),
            let url = try? HTTPURL("https://\(place)"), !isSuffix || url.address == nil
        else { return nil }
        self.allowsPrivateAddresses = allowsPrivateAddresses
        host = url.host
        isVersion6 = url.address?.isVersion6 == true
        let hasPort = isVersion6 ? !place.hasSuffix("]") : place.contains(":")
        port = hasPort ? url.port : nil
    }

    func matches(_ url: HTTPURL) -> Bool {
        guard port.map({ $0 == url.port }) ?? url.hasStandardPort else { return false }
        guard isSuffix else { return url.host == host }
        return url.address == nil && url.host.hasSuffix("." + host)
    }

    public var description: String {
        let host = isVersion6 ? "[\(host)]" : host
        return (isSuffix ? "*." : "") + host + (port.map { ":\($0)" } ?? "")
    }
}

extension HostPattern: ExpressibleByStringLiteral {
    /// A pattern in source code; other text stops the program.
    public init(stringLiteral value: String) {
        guard let pattern = HostPattern(value) else {
            preconditionFailure("\(value) is no pattern of a host")
        }
        self = pattern
    }
}
