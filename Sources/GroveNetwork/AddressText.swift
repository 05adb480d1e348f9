/// The parts of an address in text form: `host:port`, `[IPv6]:port` or `unix:path`.
package enum AddressText: Equatable {
    /// The path of a Unix socket, unchecked: ``SocketAddress/pathProblem(_:)`` checks it.
    case unix(path: String)
    /// A host without its brackets, which may be empty, and a port from 0 to 65535.
    case host(Substring, isBracketed: Bool, port: UInt16?)

    /// The text before the path of a Unix socket.
    static let unixPrefix = "unix:"

    /// Splits a text; `nil` if its port is no number, or if it has colons outside brackets that
    /// are followed by no port.
    package init?(_ text: String) {
        if text.hasPrefix(Self.unixPrefix) {
            self = .unix(path: String(text.dropFirst(Self.unixPrefix.count)))
            return
        }
        var host = text[...]
        var port: UInt16?
        let bracket = text.lastIndex(of: "]") ?? text.startIndex
        if let colon = text[bracket...].lastIndex(of: ":") {
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                let number = UInt16(digits)
            else { return nil }
            port = number
            host = text[..<colon]
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        self = .host(host, isBracketed: isBracketed, port: port)
    }
}
