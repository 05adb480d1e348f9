/// Addresses of instances: `machine/instance`.
package enum ChartAddress {
    /// Whether a text is a machine's name: a letter, then up to 63 letters, digits, `_`, `.`, `-`.
    static func isMachineName(_ text: some StringProtocol) -> Bool {
        guard (1...64).contains(text.utf8.count) else { return false }
        var isFirst = true
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "-"):
                if isFirst { return false }
            default: return false
            }
            isFirst = false
        }
        return true
    }

    /// Whether a text has the form `machine/instance`.
    package static func isValid(_ text: String) -> Bool {
        guard let slash = text.firstIndex(of: "/") else { return false }
        let instance = text[text.index(after: slash)...]
        return isMachineName(text[..<slash]) && !instance.isEmpty
            && instance.utf8.count <= ChartLimits.nameBytesMax && !instance.contains("/")
    }
}
