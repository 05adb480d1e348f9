import GroveWire

/// The form of a token's text, 64 bytes: `grove_`, 8 letters of ``TokenID``, `_`, 43 characters of
/// 62 with 256 bits of chance, and 6 characters of the CRC-32 of all before.
///
/// The prefix lets scanners of leaked text find tokens, and the checksum saves them false alarms.
/// It proves nothing: whether a token is one, the hash that is stored decides.
package enum TokenText {
    static let prefix = Array("grove_".utf8)
    static let secretBytes = 43
    static let checksumBytes = 6
    static let idRange = 6..<14
    static let secretRange = 15..<58
    static let checksumRange = 58..<64

    /// Bytes of every token's text.
    package static let bytesCount = 64

    /// The 62 characters of secrets and checksums, by their values.
    static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Whether bytes have the form of a token, checksum included.
    package static func isWellFormed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == bytesCount, bytes.starts(with: prefix),
            bytes[idRange].allSatisfy(TokenID.isLetter),
            bytes[idRange.upperBound] == UInt8(ascii: "_"),
            bytes[secretRange].allSatisfy(isCharacter)
        else { return false }
        return bytes[checksumRange].elementsEqual(checksum(of: bytes))
    }

    /// The checksum's characters for the first 58 bytes, the most significant one first.
    static func checksum(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var rest = CRC32.of(
            UnsafeRawBufferPointer(rebasing: bytes[..<checksumRange.lowerBound]))
        var text = [UInt8](repeating: characters[0], count: checksumBytes)
        for index in text.indices.reversed() {
            text[index] = characters[Int(rest % 62)]
            rest /= 62
        }
        return text
    }

    private static func isCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
