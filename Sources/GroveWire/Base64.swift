/// Bytes as text, RFC 4648 section 4, with padding.
package enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of each letter; 255 for other bytes.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Appends the text of some bytes.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        letters.withUnsafeBufferPointer { letters in
            bytes.withUnsafeBufferPointer { bytes in
                var index = 0
                while index < bytes.count {
                    let count = min(3, bytes.count - index)
                    var group = UInt32(bytes[index]) << 16
                    if count > 1 { group |= UInt32(bytes[index + 1]) << 8 }
                    if count > 2 { group |= UInt32(bytes[index + 2]) }
                    text.append(letters[Int(group >> 18)])
                    text.append(letters[Int(group >> 12 & 63)])
                    text.append(count > 1 ? letters[Int(group >> 6 & 63)] : UInt8(ascii: "="))
                    text.append(count > 2 ? letters[Int(group & 63)] : UInt8(ascii: "="))
                    index += 3
                }
            }
        }
    }

    /// Decodes a text; `nil` when its length is no multiple of four, when it contains other
    /// characters, or when left-over bits aren't zero.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4), let last = text.last else {
            return text.isEmpty ? [] : nil
        }
        let pad = UInt8(ascii: "=")
        let padding = last != pad ? 0 : text[text.count - 2] != pad ? 1 : 2
        let count = text.count / 4 * 3 - padding
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, written in
            if values.withUnsafeBufferPointer({ fill(bytes, from: text, padding, $0) }) {
                written = count
            }
        }
        return bytes.count == count ? bytes : nil
    }

    /// Decodes into `bytes`, which has room for the result; `false` when the text is malformed.
    private static func fill(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, from text: UnsafeBufferPointer<UInt8>,
        _ padding: Int, _ values: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let wholeEnd = padding == 0 ? text.count : text.count - 4
        var index = 0
        var target = 0
        while index < wholeEnd {
            let first = values[Int(text[index])]
            let second = values[Int(text[index + 1])]
            let third = values[Int(text[index + 2])]
            let fourth = values[Int(text[index + 3])]
            guard first | second | third | fourth < 64 else { return false }
            bytes[target] = first << 2 | second >> 4
            bytes[target + 1] = second << 4 | third >> 2
            bytes[target + 2] = third << 6 | fourth
            index += 4
            target += 3
        }
        guard padding > 0 else { return true }
        let first = values[Int(text[index])]
        let second = values[Int(text[index + 1])]
        let third = padding == 2 ? 0 : values[Int(text[index + 2])]
        guard first | second | third < 64 else { return false }
        bytes[target] = first << 2 | second >> 4
        if padding == 2 { return second & 15 == 0 }
        bytes[target + 1] = second << 4 | third >> 2
        return third & 3 == 0
    }
}
