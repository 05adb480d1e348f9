/// The reason why a text isn't accepted, and its offset.
///
/// The first fault in the text wins; a repeated name is found when its object closes.
public struct JSONError: Error, Sendable, Hashable {
    /// A closed list of faults. The rules are those of RFC 8259 (grammar, UTF-8) and RFC 7493
    /// (distinct names, no lone surrogates), and the limits in ``JSONLimits``.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// The text ends before its value is complete.
        case endOfText
        /// A value must begin here.
        case valueExpected
        /// A member name must begin here.
        case nameExpected
        /// A colon must follow the name.
        case colonExpected
        /// A comma or a closing bracket must follow.
        case commaOrEndExpected
        /// The text continues after its value.
        case textAfterValue
        /// A number that RFC 8259 section 6 doesn't allow, such as `01`, `1.` or `-x`.
        case invalidNumber
        /// A number too large for a finite double.
        case numberOverflow
        /// A byte below 0x20 in a string: it must be escaped.
        case controlCharacter
        /// A backslash without an escape of RFC 8259 section 7.
        case invalidEscape
        /// An escaped half of a surrogate pair without its other half.
        case loneSurrogate
        /// Bytes in a string that are no UTF-8 (RFC 3629).
        case invalidUTF8
        /// The text begins with a byte order mark.
        case byteOrderMark
        /// A name that its object already has, compared by code point after unescaping.
        case duplicateName
        /// More arrays and objects are open than ``JSONLimits/depthMax``.
        case tooDeep
        /// The text has more bytes than ``JSONLimits/bytesMax``.
        case tooLong
        /// The text has more values than ``JSONLimits/valuesMax``.
        case tooManyValues
    }

    /// The byte offset of the fault in the text, counted from 0; the number of bytes of the text
    /// where it ends too early. For a bad escape or UTF-8 sequence it is the first wrong byte, for
    /// a lone surrogate its backslash, for an overflow the number's first byte, for a repeated name
    /// its opening quote, for a text past a limit the first byte past it.
    public let offset: Int

    /// The fault.
    public let reason: Reason

    /// An error at byte `offset`, counted from 0.
    public init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// The fault for people: one clause without the offset and without bytes of the text.
    public var message: String {
        switch reason {
        case .endOfText: "the text ends before the value is complete"
        case .valueExpected: "a value must begin here"
        case .nameExpected: "a member name in double quotes must begin here"
        case .colonExpected: "a colon must follow the member name"
        case .commaOrEndExpected: "a comma or the closing bracket must follow"
        case .textAfterValue: "nothing may follow the value"
        case .invalidNumber: "this byte can't be part of a number here"
        case .numberOverflow: "the number is too large for a double"
        case .controlCharacter: "a control character in a string must be escaped"
        case .invalidEscape: "this is no escape that JSON knows"
        case .loneSurrogate: "half of a surrogate pair stands alone"
        case .invalidUTF8: "the bytes are no UTF-8"
        case .byteOrderMark: "the text begins with a byte order mark"
        case .duplicateName: "the object already has a member of this name"
        case .tooDeep: "arrays and objects are nested too deeply"
        case .tooLong: "the text is too long"
        case .tooManyValues: "the text has too many values"
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// The message and the offset, for logs and test failures.
    public var description: String { "\(message) (byte \(offset))" }
}
