import GroveWire

/// What a principal is recognized by, besides tokens: `cert:dns:shop.example.org`, `uid:1000`.
///
/// Two are equal when their bytes are: there are no patterns, no case folding and no other spelling
/// of a number.
package struct Identity: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The kind.
    package let kind: IdentityKind
    /// The whole text, with the kind's prefix.
    package let text: String

    /// The user and group that the kernel reports for one that this namespace doesn't have. It
    /// stands for many different users, so it is never mapped.
    package static let overflowID: UInt32 = 65_534

    /// Reads an identity.
    ///
    /// - Throws: ``IdentityError`` with what is wrong and what to write.
    package init(_ text: String) throws(IdentityError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw IdentityError("an identity has at most \(Self.bytesMax) bytes")
        }
        let kind = IdentityKind.allCases.first {
            text.utf8.starts(with: $0.rawValue.utf8)
        }
        guard let kind else {
            throw IdentityError(
                "an identity begins with cert:uri:, cert:dns:, cert:email:, cert:spki:sha256/, "
                    + "cert:subject:, uid: or gid:")
        }
        try Self.check(Array(text.utf8.dropFirst(kind.rawValue.utf8.count)), of: kind)
        self.kind = kind
        self.text = text
    }

    /// The identity of a user of this machine; `nil` for one that is never mapped.
    package init?(user: UInt32) {
        guard Self.isMapped(user) else { return nil }
        kind = .user
        text = IdentityKind.user.rawValue + String(user)
    }

    /// The identity of a group of this machine; `nil` for one that is never mapped.
    package init?(group: UInt32) {
        guard Self.isMapped(group) else { return nil }
        kind = .group
        text = IdentityKind.group.rawValue + String(group)
    }

    /// The text.
    package var description: String { text }

    /// By bytes.
    package static func < (left: Identity, right: Identity) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Not the overflow id, and not the number by which system calls say "none".
    private static func isMapped(_ id: UInt32) -> Bool { id != overflowID && id != .max }

    // MARK: checking

    private static func check(_ rest: [UInt8], of kind: IdentityKind) throws(IdentityError) {
        switch kind {
        case .user, .group: try checkNumber(rest, of: kind)
        case .key: try checkHash(rest)
        case .dns: try checkHost(rest)
        case .email: try checkAddress(rest)
        case .uri: try checkURI(rest)
        case .subject: try checkSubject(rest)
        }
    }

    private static func checkNumber(
        _ rest: [UInt8], of kind: IdentityKind
    ) throws(IdentityError) {
        let digits = String(decoding: rest, as: UTF8.self)
        // The text of the number must be this one: no sign, no zero before it.
        guard let id = UInt32(digits), String(id) == digits else {
            throw IdentityError(
                "\(kind.rawValue) is followed by a number, such as \(kind.rawValue)1000")
        }
        guard isMapped(id) else {
            throw IdentityError("\(kind.rawValue)\(id) stands for unknown ones and is nobody's")
        }
    }

    private static func checkHash(_ rest: [UInt8]) throws(IdentityError) {
        let name = Array("sha256/".utf8)
        guard rest.starts(with: name),
            Base64.decode(String(decoding: rest.dropFirst(name.count), as: UTF8.self))?.count == 32
        else {
            throw IdentityError(
                "cert:spki: is followed by sha256/ and the 44 letters of the key's hash in Base64")
        }
    }

    private static func checkHost(_ rest: [UInt8]) throws(IdentityError) {
        guard !rest.contains(UInt8(ascii: "*")) else { throw .pattern }
        let isName = rest.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard !rest.isEmpty, isName else {
            throw IdentityError(
                "cert:dns: is followed by a host's name, such as cert:dns:shop.example.org")
        }
    }

    private static func checkAddress(_ rest: [UInt8]) throws(IdentityError) {
        guard !rest.contains(UInt8(ascii: "*")) else { throw .pattern }
        let at = UInt8(ascii: "@")
        guard rest.allSatisfy(isVisible), rest.contains(at), rest.first != at, rest.last != at
        else {
            throw IdentityError(
                "cert:email: is followed by an address, such as cert:email:ann@example.org")
        }
    }

    private static func checkURI(_ rest: [UInt8]) throws(IdentityError) {
        guard !rest.contains(UInt8(ascii: "*")) else { throw .pattern }
        guard rest.allSatisfy(isVisible), let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            colon > 0, colon < rest.count - 1
        else {
            throw IdentityError(
                "cert:uri: is followed by a URI, such as cert:uri:spiffe://example.org/shop")
        }
    }

    private static func checkSubject(_ rest: [UInt8]) throws(IdentityError) {
        guard rest.count <= subjectBytesMax else {
            throw IdentityError(
                "a subject has at most \(subjectBytesMax) bytes: use cert:spki: instead")
        }
        guard rest.contains(UInt8(ascii: "=")), rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw IdentityError(
                "cert:subject: is followed by a name as RFC 2253 writes it, such as "
                    + "cert:subject:CN=shop,O=Example")
        }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }
}
