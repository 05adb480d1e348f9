/// The name of a principal: `[a-z][a-z0-9-]{0,63}`.
///
/// No byte of it means something in a pattern, so it can stand for `{principal}` in a grant.
package struct PrincipalName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    package let text: String

    /// Everybody who has not said who they are. It may have grants, but no identities and no
    /// tokens.
    package static let anonymous = PrincipalName(checked: "anonymous")

    /// The user that runs the server, and root, on a Unix socket: every verb, always.
    package static let owner = PrincipalName(checked: "owner")

    private init(checked text: String) { self.text = text }

    /// Reads a name that a principal may be given.
    ///
    /// - Throws: ``PrincipalNameError``, also for `anonymous` and `owner`.
    package init(_ text: String) throws(PrincipalNameError) {
        let bytes = text.utf8
        guard let first = bytes.first else { throw PrincipalNameError(.empty, text) }
        guard Self.isLetter(first) else { throw PrincipalNameError(.badStart, text) }
        for (offset, byte) in bytes.enumerated() {
            guard offset < Self.bytesMax else { throw PrincipalNameError(.tooLong, text) }
            guard Self.isLetter(byte) || Self.isDigitOrHyphen(byte) else {
                throw PrincipalNameError(.badByte(offset: offset), text)
            }
        }
        guard text != Self.anonymous.text, text != Self.owner.text else {
            throw PrincipalNameError(.reserved, text)
        }
        self.text = text
    }

    /// The name.
    package var description: String { text }

    /// By bytes.
    package static func < (left: PrincipalName, right: PrincipalName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
    }

    private static func isDigitOrHyphen(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-")
    }
}
