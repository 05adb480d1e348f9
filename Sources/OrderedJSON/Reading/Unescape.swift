/// Turns the inside of a string that the scanner has accepted into what it stands for.
enum Unescape {
    /// Appends the UTF-8 of `content`, the bytes between the quotes: RFC 8259 section 7.
    static func append(_ content: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.reserveCapacity(bytes.count + content.count)
        var index = 0
        while index < content.count {
            let byte = content[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let letter = content[index]
            index += 1
            switch letter {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = unit(content, &index)
                if scalar & 0xFC00 == 0xD800 {
                    index += 2
                    let low = unit(content, &index)
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                }
                append(scalar: scalar, to: &bytes)
            default: bytes.append(letter)
            }
        }
    }

    /// The four digits at `index`, which moves past them.
    private static func unit(
        _ content: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | (HexDigit.value(content[index]) ?? 0)
            index += 1
        }
        return unit
    }

    private static func append(scalar: UInt32, to bytes: inout [UInt8]) {
        func continuation(_ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3F))
        }
        if scalar < 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: scalar))
        } else if scalar < 0x800 {
            bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            bytes.append(continuation(0))
        } else if scalar < 0x10000 {
            bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        } else {
            bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            bytes.append(continuation(12))
            bytes.append(continuation(6))
            bytes.append(continuation(0))
        }
    }
}
