/// The reason why a text is no name of a principal.
package struct PrincipalNameError: Error, Hashable, Sendable {
    /// A closed list of faults.
    package enum Reason: Hashable, Sendable {
        /// The text is empty.
        case empty
        /// It doesn't begin with a letter from `a` to `z`.
        case badStart
        /// The byte at this offset is no small letter, digit or hyphen.
        case badByte(offset: Int)
        /// It has more than ``PrincipalName/bytesMax`` bytes.
        case tooLong
        /// It is `anonymous` or `owner`.
        case reserved
    }

    /// The fault.
    package let reason: Reason
    /// The refused text; it has no length limit.
    private let text: String

    init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }
}

extension PrincipalNameError: CustomStringConvertible {
    /// One sentence: the fault, and what to write.
    package var description: String {
        switch reason {
        case .empty: "a principal's name has at least one letter, such as shop"
        case .badStart: "a principal's name begins with a small letter, such as shop"
        case .badByte(let offset):
            "a principal's name has small letters, digits and '-' (byte \(offset))"
        case .tooLong: "a principal's name has at most \(PrincipalName.bytesMax) bytes"
        case .reserved: "'\(text)' is a name of the server's own: take another one"
        }
    }
}
