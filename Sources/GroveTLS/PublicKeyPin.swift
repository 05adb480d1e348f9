/// The SHA-256 of a public key, as its `SubjectPublicKeyInfo` in DER (RFC 7469, section 2.4): it
/// stays the same when a certificate is renewed for the same key.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// The hash: 32 bytes.
    public let bytes: [UInt8]

    private static let prefix = "sha256/"

    /// A pin of 32 bytes.
    ///
    /// - Precondition: There are 32 of them.
    public init(bytes: [UInt8]) {
        precondition(bytes.count == 32, "a SHA-256 has 32 bytes")
        self.bytes = bytes
    }

    /// Reads `sha256/` and the hash in Base64 with its padding, 44 letters; `nil` for anything
    /// else.
    public init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let letters = Array(text.utf8.dropFirst(Self.prefix.utf8.count))
        guard letters.count == 44, letters[43] == UInt8(ascii: "=") else { return nil }
        var bits: UInt32 = 0
        var bytes: [UInt8] = []
        for (index, letter) in letters.dropLast().enumerated() {
            guard let value = Self.alphabet.firstIndex(of: letter) else { return nil }
            bits = bits << 6 | UInt32(value)
            if index % 4 == 3 {
                bytes += [UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)]
            }
        }
        // The last three letters hold 18 bits, of which two are padding.
        guard bits & 0b11 == 0 else { return nil }
        bytes += [UInt8(bits >> 10 & 0xFF), UInt8(bits >> 2 & 0xFF)]
        self.bytes = bytes
    }

    /// `sha256/` and the hash in Base64.
    public var description: String {
        var text = Self.prefix
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            let bits =
                part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - part.count))
            for place in 0..<4 {
                let letter = Self.alphabet[Int(bits >> UInt32(18 - 6 * place) & 0x3F)]
                text.unicodeScalars.append(
                    place <= part.count ? Unicode.Scalar(letter) : "=")
            }
        }
        return text
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
