import GroveEngine

extension LogID {
    /// Another random id of the same checksum.
    ///
    /// The journal's chain begins with the checksum of the id (`Meta.chainSeed`), so that blocks of
    /// another file don't fit. With the same checksum the chain holds, and the journal needn't be
    /// written anew because its file has got another id. 96 of the 128 bits are random: enough that
    /// no two restores ever have the same.
    func renewed(using random: inout some RandomNumberGenerator) -> LogID {
        let high: UInt64 = random.next()
        let lower: UInt32 = random.next()
        var register = Checksum()
        withUnsafeBytes(of: high.littleEndian) { register.add($0) }
        withUnsafeBytes(of: lower.littleEndian) { register.add($0) }
        // The last four bytes lead from this register to the one that is wanted: CRC-32 shifts
        // them through, and 32 shifts can be undone.
        let upper = Self.unshifted(~checksum) ^ ~register.value
        return LogID(high: high, low: UInt64(upper) << 32 | UInt64(lower))
    }

    /// The checksum of the sixteen bytes.
    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(bitPattern: high), Int64(bitPattern: low))
        return checksum.value
    }

    /// The register of CRC-32 from which four zero bytes lead to this one.
    private static func unshifted(_ register: UInt32) -> UInt32 {
        var register = register
        for _ in 0..<32 {
            register =
                register & 0x8000_0000 != 0
                ? (register ^ 0xEDB8_8320) << 1 | 1 : register << 1
        }
        return register
    }
}
