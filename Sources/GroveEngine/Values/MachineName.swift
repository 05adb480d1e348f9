/// The grammar of a machine's name: `[A-Za-z][A-Za-z0-9_.-]{0,63}`.
public enum MachineName {
    /// Whether `bytes` are a machine's name.
    public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard (1...Limits.machineNameBytesMax).contains(bytes.count), NameBytes.isLetter(bytes[0])
        else { return false }
        for byte in bytes where !NameBytes.isMachine(byte) { return false }
        return true
    }
}
