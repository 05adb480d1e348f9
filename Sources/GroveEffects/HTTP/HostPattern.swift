import GroveNetwork

/// Which hosts may be called: one line of the operator's list.
///
/// - `api.example.com`: this host, at its scheme's own port, 443 or 80.
/// - `api.example.com:8443`: this host, at this port.
/// - `*.example.com`: every host whose name ends so, but not `example.com` itself; a port may
///   follow.
/// - `203.0.113.7`, `[2001:db8::7]:8443`: an address that is called as such. A name that leads to
///   it doesn't fit.
///
/// Letters may be large or small. A pattern says who may be named; where the name leads to is
/// checked as well, see ``allowsPrivateAddresses``.
public struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    /// Whether its hosts may be at an address of this machine or its network, whatever
    /// ``HTTPOptions/allowPrivateAddresses`` says.
    public var allowsPrivateAddresses: Bool

    /// The host, or what its name ends with.
    private let host: String
    private let isSuffix: Bool
    /// `nil` for the scheme's own.
    private let port: Int?
    private let isVersion6: Bool

    /// Reads a pattern; `nil` for what is none, say a URL, or a star in the middle.
    public init?(_ text: String, allowsPrivateAddresses: Bool = false) {
        isSuffix = text.hasPrefix("*.")
        let place = isSuffix ? text.dropFirst(2) : text[...]
        // Read as a URL is, so that both sides of the comparison are written alike.
        guard !place.contains(where: { "/?#".contains($0) }),
            let url = try? HTTPURL("https://\(place)"), !isSuffix || url.address == nil
        else { return nil }
        self.allowsPrivateAddresses = allowsPrivateAddresses
        host = url.host
        isVersion6 = url.address?.isVersion6 == true
        let hasPort = isVersion6 ? !place.hasSuffix("]") : place.contains(":")
        port = hasPort ? url.port : nil
    }

    /// Whether a request may go there.
    func matches(_ url: HTTPURL) -> Bool {
        guard port.map({ $0 == url.port }) ?? url.hasStandardPort else { return false }
        guard isSuffix else { return url.host == host }
        return url.address == nil && url.host.hasSuffix("." + host)
    }

    /// The pattern as it is written.
    public var description: String {
        let host = isVersion6 ? "[\(host)]" : host
        return (isSuffix ? "*." : "") + host + (port.map { ":\($0)" } ?? "")
    }
}

extension HostPattern: ExpressibleByStringLiteral {
    /// A pattern that stands in the program; stops it if it is none.
    public init(stringLiteral value: String) {
        guard let pattern = HostPattern(value) else {
            preconditionFailure("\(value) is no pattern of a host")
        }
        self = pattern
    }
}
