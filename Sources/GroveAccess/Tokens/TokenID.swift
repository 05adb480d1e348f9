/// The public part of a token: 8 letters of `a-z2-7`. It stands in lists and in the log.
package struct TokenID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The letters.
    package let text: String

    /// The letters of an id: 32, so five random bits make one.
    static let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The number of letters.
    static let bytesCount = 8

    /// Reads an id; `nil` for any other text.
    package init?(_ text: String) {
        guard text.utf8.count == Self.bytesCount, text.utf8.allSatisfy(Self.isLetter) else {
            return nil
        }
        self.text = text
    }

    /// The letters.
    package var description: String { text }

    /// By bytes.
    package static func < (left: TokenID, right: TokenID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// The five bits of a letter.
    static func value(of letter: UInt8) -> UInt8 {
        letter >= UInt8(ascii: "a") ? letter - UInt8(ascii: "a") : letter - UInt8(ascii: "2") + 26
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "2")...UInt8(ascii: "7"): true
        default: false
        }
    }
}
