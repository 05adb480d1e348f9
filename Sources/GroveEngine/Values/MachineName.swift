/// The grammar of a machine's name: `[A-Za-z][A-Za-z0-9_.-]{0,63}`.
public enum MachineName {
    /// Whether `bytes` are a machine's name.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard (1...Limits.machineNameBytesMax).contains(bytes.count) else { return false }
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                continue
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "-"):
                if index == 0 { return false }
            default: return false
            }
        }
        return true
    }
}
