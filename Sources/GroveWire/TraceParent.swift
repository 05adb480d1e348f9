/// The place of a request in a distributed trace: a `traceparent` of the W3C recommendation "Trace
/// Context" (sections 3.2 and 4.2), version 00.
///
/// Grove makes no spans of its own. It keeps the value with the steps that a request makes, and
/// hands it on with their effects as it came.
public struct TraceParent: Sendable, Hashable {
    /// Bytes of the text: 2, 32, 16 and 2 hexadecimal digits with `-` between.
    public static let textBytes = 55
    /// Bytes of ``encoded``.
    public static let encodedBytes = 25

    /// The trace's id, the id of the span that caused the request, and the flags: 16, 8 and 1
    /// bytes.
    public let encoded: [UInt8]

    /// Reads a text such as `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`.
    ///
    /// - Returns: `nil` for anything but two digits 0, a trace's id and a span's id with a digit
    ///   other than 0 each, and two digits for flags; letters are lower-case.
    public init?(_ text: some Collection<UInt8>) {
        guard text.count == Self.textBytes else { return nil }
        let text = Array(text)
        guard text[0] == 0x30, text[1] == 0x30,
            [2, 35, 52].allSatisfy({ text[$0] == UInt8(ascii: "-") })
        else { return nil }
        var bytes: [UInt8] = []
        for range in [3..<35, 36..<52, 53..<55] {
            for place in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
                guard let high = Self.digit(text[place]), let low = Self.digit(text[place + 1])
                else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        self.init(encoded: bytes)
    }

    /// Reads ``encoded``; `nil` for another number of bytes, and for an id of zeros.
    public init?(encoded: [UInt8]) {
        guard encoded.count == Self.encodedBytes, encoded[..<16].contains(where: { $0 != 0 }),
            encoded[16..<24].contains(where: { $0 != 0 })
        else { return nil }
        self.encoded = encoded
    }

    /// The same without flags but "sampled", the only one that later versions share with this one
    /// (section 4.3).
    public var onlySampled: TraceParent? {
        var encoded = encoded
        encoded[Self.encodedBytes - 1] &= 1
        return TraceParent(encoded: encoded)
    }

    /// The text as it was read.
    public var text: String {
        var text = "00-"
        for (place, byte) in encoded.enumerated() {
            if place == 16 || place == 24 { text += "-" }
            text.unicodeScalars.append(Self.letter(byte >> 4))
            text.unicodeScalars.append(Self.letter(byte & 0xF))
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func letter(_ digit: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
}
