/// A secret by its name, and where it may be used: one text of the key `secrets`.
///
///     stripe hosts=api.stripe.com machines=order,refund
public struct SecretGrant: Sendable, Equatable, CustomStringConvertible {
    /// The name: `[a-z][a-z0-9-]{0,63}`. Its file has the same.
    public let name: String
    /// The hosts that may get the value, over `https`; at least one.
    public let hosts: [HostPattern]
    /// The machines whose requests may have it; at least one.
    public let machines: [String]

    /// Parses a text.
    ///
    /// - Parameter isMachine: Whether a text is the name of a machine.
    /// - Throws: The first problem.
    public init(_ text: String, isMachine: (String) -> Bool) throws(SecretProblem) {
        let words = text.split(separator: " ").map(String.init)
        guard let name = words.first, Self.isName(name) else {
            throw SecretProblem(
                "each text must begin with the name of a secret: a letter from a to z, then up to "
                    + "\(Self.nameBytesMax - 1) of a-z, 0-9 and -")
        }
        self.name = name
        var lists: [String: [String]] = [:]
        for word in words.dropFirst() {
            let sides = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2, ["hosts", "machines"].contains(sides[0]) else {
                // Not the word: it may be a value that should be in the file.
                throw SecretProblem(
                    "\(name): only hosts=… and machines=… follow a name, without blanks in them")
            }
            guard lists[String(sides[0])] == nil else {
                throw SecretProblem("\(name): \(sides[0])= is there twice")
            }
            lists[String(sides[0])] = sides[1].split(
                separator: ",", omittingEmptySubsequences: false
            ).map(String.init)
        }
        var hosts: [HostPattern] = []
        for text in lists["hosts"] ?? [] {
            guard let host = HostPattern(text) else {
                throw SecretProblem(
                    "\(name): must have hosts such as host, host:port or *.domain, not \"\(text)\"")
            }
            hosts.append(host)
        }
        guard !hosts.isEmpty else {
            throw SecretProblem("\(name): has no hosts: say hosts=api.example.com")
        }
        machines = lists["machines"] ?? []
        guard !machines.isEmpty else {
            throw SecretProblem("\(name): has no machines: say machines=order")
        }
        for machine in machines where !isMachine(machine) {
            throw SecretProblem("\(name): \"\(machine)\" is no machine's name")
        }
        self.hosts = hosts
    }

    /// Parses all texts of the key.
    ///
    /// - Throws: The first problem, also of two secrets of one name, and of too many.
    public static func read(
        _ texts: [String], isMachine: (String) -> Bool
    ) throws(SecretProblem) -> [SecretGrant] {
        var grants: [SecretGrant] = []
        for text in texts {
            let grant = try SecretGrant(text, isMachine: isMachine)
            guard !grants.contains(where: { $0.name == grant.name }) else {
                throw SecretProblem("\(grant.name): is there twice")
            }
            grants.append(grant)
        }
        guard grants.count <= EffectSecrets.countMax else {
            throw SecretProblem("there may be \(EffectSecrets.countMax) secrets")
        }
        return grants
    }

    /// Splits the text of a flag or variable, in which commas separate both secrets and the hosts
    /// and machines of one. A secret begins at a word that `hosts=` or `machines=` follows.
    public static func split(_ text: String) -> [String] {
        var texts: [String] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: " ")
            let begins =
                words.count > 1 && !words[0].contains("=")
                && words[1].hasPrefix("hosts=")
            if begins || texts.isEmpty {
                texts.append(String(part))
            } else {
                texts[texts.count - 1] += "," + part
            }
        }
        return texts
    }

    private static func isName(_ text: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = text.utf8.first, letters.contains(first) else { return false }
        return text.utf8.count <= nameBytesMax
            && text.utf8.allSatisfy {
                letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    public var description: String {
        let hosts = hosts.map(\.description).joined(separator: ",")
        return "\(name) hosts=\(hosts) machines=\(machines.joined(separator: ","))"
    }
}
