extension [UInt8] {
    /// Appends the characters of a string that the scanner has accepted, as UTF-8: RFC 8259
    /// section 7.
    ///
    /// - Parameter content: The bytes between the quotes.
    mutating func append(unescaping content: UnsafeBufferPointer<UInt8>) {
        reserveCapacity(count + content.count)
        var index = 0
        while index < content.count {
            let byte = content[index]
            index += 1
            guard byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            let letter = content[index]
            index += 1
            switch letter {
            case UInt8(ascii: "b"): append(0x08)
            case UInt8(ascii: "f"): append(0x0C)
            case UInt8(ascii: "n"): append(0x0A)
            case UInt8(ascii: "r"): append(0x0D)
            case UInt8(ascii: "t"): append(0x09)
            case UInt8(ascii: "u"):
                var scalar = Self.unit(content, &index)
                if scalar & 0xFC00 == 0xD800 {
                    index += 2
                    let low = Self.unit(content, &index)
                    scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                }
                append(scalar: scalar)
            default: append(letter)
            }
        }
    }

    /// The four digits at `index`, which moves past them.
    private static func unit(
        _ content: UnsafeBufferPointer<UInt8>, _ index: inout Int
    ) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | (content[index].hexDigitValue ?? 0)
            index += 1
        }
        return unit
    }

    private mutating func append(scalar: UInt32) {
        func continuation(_ shift: UInt32) -> UInt8 {
            UInt8(truncatingIfNeeded: 0x80 | (scalar >> shift & 0x3F))
        }
        if scalar < 0x80 {
            append(UInt8(truncatingIfNeeded: scalar))
        } else if scalar < 0x800 {
            append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            append(continuation(0))
        } else if scalar < 0x10000 {
            append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            append(continuation(6))
            append(continuation(0))
        } else {
            append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            append(continuation(12))
            append(continuation(6))
            append(continuation(0))
        }
    }
}
