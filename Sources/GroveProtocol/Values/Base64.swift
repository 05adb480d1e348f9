/// Bytes as text, RFC 4648 section 4, with padding.
public enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of each letter; 255 for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Appends the text of some bytes.
    public static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        letters.withUnsafeBufferPointer { letters in
            bytes.withUnsafeBufferPointer { bytes in
                var place = 0
                while place < bytes.count {
                    let count = min(3, bytes.count - place)
                    var group = UInt32(bytes[place]) << 16
                    if count > 1 { group |= UInt32(bytes[place + 1]) << 8 }
                    if count > 2 { group |= UInt32(bytes[place + 2]) }
                    text.append(letters[Int(group >> 18)])
                    text.append(letters[Int(group >> 12 & 63)])
                    text.append(count > 1 ? letters[Int(group >> 6 & 63)] : UInt8(ascii: "="))
                    text.append(count > 2 ? letters[Int(group & 63)] : UInt8(ascii: "="))
                    place += 3
                }
            }
        }
    }

    /// The bytes that a text stands for; `nil` when it stands for none: another length than a
    /// multiple of four, other characters, bits left over that aren't zero.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let body = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text.count - body.count
        guard padding <= 2, text.dropFirst(body.count).allSatisfy({ $0 == UInt8(ascii: "=") })
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var group: UInt32 = 0
        var bits = 0
        for letter in body {
            let value = values[Int(letter)]
            guard value < 64 else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= 1 << UInt32(bits) - 1
            }
        }
        return group == 0 ? bytes : nil
    }
}
