import GroveNetwork

/// The URL of a request, parsed strictly: the parts that are checked are the parts that are used.
/// It is written again from its parts, so that no later reader understands it differently.
struct HTTPURL: Hashable, Sendable {
    /// The reason why a text is no URL of a request; without the text, which may have secrets.
    struct Fault: Error, Equatable {
        let reason: String
    }

    /// Whether the scheme is `https`.
    let isSecure: Bool
    /// The name or address, in lower case; an IPv6 address without brackets.
    let host: String
    /// The address, if the host is one.
    let address: IPAddress?
    /// The port, from 1.
    let port: Int
    /// The path and query, with a slash at the start.
    let target: String

    /// Parses a text.
    ///
    /// - Throws: The first fault: all that RFC 3986 doesn't allow, and also user names and
    ///   addresses that aren't in the standard form.
    init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.bytesMax else {
            throw Fault(reason: "is longer than \(Self.bytesMax) bytes")
        }
        let text = text.prefix { $0 != "#" }
        guard let colon = text.firstIndex(of: ":") else { throw Fault(reason: "has no scheme") }
        switch text[..<colon].lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw Fault(reason: "is neither https nor http")
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw Fault(reason: "has no host") }
        let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
        (host, address, port) = try Self.place(authority, standard: isSecure ? 443 : 80)
        target = try Self.checked(rest[authority.endIndex...])
    }

    init(like other: HTTPURL, target: some StringProtocol) throws(Fault) {
        isSecure = other.isSecure
        host = other.host
        address = other.address
        port = other.port
        self.target = try Self.checked(target)
    }

    /// Whether the port is the scheme's own.
    var hasStandardPort: Bool { port == (isSecure ? 443 : 80) }

    var authority: String {
        let host = address?.isVersion6 == true ? "[\(host)]" : host
        return hasStandardPort ? host : "\(host):\(port)"
    }

    /// The whole URL, without a fragment.
    var text: String { (isSecure ? "https://" : "http://") + authority + target }

    /// Whether both have the same origin, so that headers for one may go to the other.
    func hasOrigin(of other: HTTPURL) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }

    // MARK: Host and port

    /// The host, address and port of the text between the slashes.
    private static func place(
        _ text: some StringProtocol, standard: Int
    ) throws(Fault) -> (String, IPAddress?, Int) {
        guard !text.contains("@") else {
            throw Fault(reason: "holds a user name; give it as a header")
        }
        guard text.hasPrefix("[") else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else { throw Fault(reason: "has more than one port") }
            let host = try name(String(parts[0]))
            let port = try parts.count == 2 ? number(parts[1]) : standard
            return (host, IPAddress(host), port)
        }
        guard let end = text.firstIndex(of: "]"),
            let address = IPAddress(text[..<end].dropFirst()), address.isVersion6
        else { throw Fault(reason: "has no address of version 6 between its brackets") }
        let rest = text[text.index(after: end)...]
        guard !rest.isEmpty else { return (address.description, address, standard) }
        guard rest.hasPrefix(":") else { throw Fault(reason: "goes on behind its brackets") }
        return (address.description, address, try number(rest.dropFirst()))
    }

    private static func number(_ text: some StringProtocol) throws(Fault) -> Int {
        guard text.utf8.allSatisfy(isDigit), text.utf8.count <= 5, let port = Int(text),
            (1...65_535).contains(port)
        else { throw Fault(reason: "has no port from 1 to 65535") }
        return port
    }

    /// A host's name in lower case, or an address of version 4.
    static func name(_ text: String) throws(Fault) -> String {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { isLetter($0) || isDigit($0) || "-_".utf8.contains($0) }
        }
        guard isName, text.utf8.count <= 253, let last = labels.last else {
            throw Fault(reason: "has no host's name in ASCII")
        }
        // The system would read such a name as a number: 127.1, 0x7f.1, 2130706433.
        let isNumber =
            last.allSatisfy(isDigit) || last.starts(with: "0x".utf8)
            || last.starts(with: "0X".utf8)
        guard !isNumber || IPAddress(text) != nil else {
            throw Fault(reason: "has an address that isn't four decimal numbers")
        }
        return text.lowercased()
    }

    // MARK: Path and query

    /// Checks that RFC 3986 allows each character of a path and query.
    private static func checked(_ text: some StringProtocol) throws(Fault) -> String {
        let bytes = Array(text.utf8)
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "%") {
                let digits = bytes.dropFirst(index + 1).prefix(2)
                guard digits.count == 2, digits.allSatisfy(isHexDigit) else {
                    throw Fault(reason: "has a percent sign without two hexadecimal digits")
                }
            } else if !isLetter(byte), !isDigit(byte), !allowed.contains(byte) {
                throw Fault(reason: "has a character that must be percent-encoded")
            }
        }
        return text.hasPrefix("/") ? String(text) : "/" + text
    }

    private static let allowed = Set("-._~!$&'()*+,;=:@/?".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
