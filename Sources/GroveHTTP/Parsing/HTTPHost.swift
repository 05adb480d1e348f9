/// The grammar of `Host`: a name or an address, and a port if there is one (RFC 9110, section 7.2;
/// RFC 3986, section 3.2.2).
enum HTTPHost {
    /// Whether it is a host with or without a port, and not empty. A port has 1 to 5 digits and is
    /// at most 65,535.
    static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "[") else {
            let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
            return isName(text[..<end]) && isPort(text[end...])
        }
        guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return false }
        return isV6(text[..<end].dropFirst()) && isPort(text[(end + 1)...])
    }

    /// Nothing, or a colon and a number.
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        if text.isEmpty { return true }
        return text.first == UInt8(ascii: ":") && (2...6).contains(text.count)
            && text.dropFirst().allSatisfy(HTTPBytes.isDigit)
            && text.dropFirst().reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65_535
    }

    /// Whether it is a name: at least one byte, and each escape has two digits.
    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                guard text.endIndex - index >= 2, HTTPBytes.hex(text[index]) != nil,
                    HTTPBytes.hex(text[index + 1]) != nil
                else { return false }
                index += 2
            } else if !HTTPBytes.isName(byte) {
                return false
            }
        }
        return !text.isEmpty
    }

    /// Whether it is an address of IPv6, without a zone: eight groups, of which one `::` may stand
    /// for any number of zeros, and an address of IPv4 for the last two.
    private static func isV6(_ text: ArraySlice<UInt8>) -> Bool {
        var groups = 0
        var hasGap = false
        var rest = text
        if rest.starts(with: "::".utf8) {
            hasGap = true
            rest = rest.dropFirst(2)
        }
        while !rest.isEmpty {
            let group = rest.prefix { HTTPBytes.hex($0) != nil }
            guard (1...4).contains(group.count) else { return false }
            rest = rest[group.endIndex...]
            if rest.first == UInt8(ascii: ".") {
                guard isV4(text[group.startIndex...]) else { return false }
                groups += 2
                break
            }
            groups += 1
            guard rest.popFirst().map({ $0 == UInt8(ascii: ":") }) ?? true else { return false }
            if rest.first == UInt8(ascii: ":") {
                guard !hasGap else { return false }
                hasGap = true
                rest = rest.dropFirst()
            } else if rest.isEmpty && text.last == UInt8(ascii: ":") {
                return false
            }
        }
        return hasGap ? groups < 8 : groups == 8
    }

    /// Whether it is an address of IPv4: four numbers to 255, without zeros before them.
    private static func isV4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(HTTPBytes.isDigit)
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
                    && part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }
}
