import GroveEngine

extension LogID {
    /// Returns another random id with the same checksum.
    ///
    /// The journal's chain begins with the checksum of the id (`Meta.chainSeed`), so blocks of
    /// another file don't fit. With the same checksum the chain stays valid, and the journal
    /// needn't be rewritten for the new id. 96 of the 128 bits are random, so no two restores get
    /// the same id.
    func renewed(using random: inout some RandomNumberGenerator) -> LogID {
        let high: UInt64 = random.next()
        let lower: UInt32 = random.next()
        var register = Checksum()
        withUnsafeBytes(of: high.littleEndian) { register.add($0) }
        withUnsafeBytes(of: lower.littleEndian) { register.add($0) }
        // The last four bytes lead from this register to the wanted one: CRC-32 shifts them
        // through, and 32 shifts can be undone.
        let upper = Self.unshifted(~checksum) ^ ~register.value
        return LogID(high: high, low: UInt64(upper) << 32 | UInt64(lower))
    }

    /// The checksum of the sixteen bytes.
    var checksum: UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(bitPattern: high), Int64(bitPattern: low))
        return checksum.value
    }

    /// Returns the CRC-32 register from which four zero bytes lead to this one.
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
