#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The beginning of SQLite's write-ahead log (its file format, section 4.1).
enum LogHeader {
    private static let bytes = 32
    private static let magic: UInt32 = 0x377F_0682
    private static let version: UInt32 = 3_007_000

    /// Whether a log can be read at all. SQLite takes one that can't be for an empty one.
    ///
    /// The header is written and synced before the frames, so a crash leaves it whole.
    static func isValid(_ path: String) -> Bool {
        let header = firstBytes(of: path)
        guard header.count == bytes else { return false }
        func word(_ index: Int, isBig: Bool = true) -> UInt32 {
            let four = header[(index * 4)..<(index * 4 + 4)]
            return (isBig ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard word(0) & ~1 == magic, word(1) == version else { return false }
        // The last bit of the magic number is the order of bytes of the checksums.
        let isBig = word(0) & 1 == 1
        var (first, second): (UInt32, UInt32) = (0, 0)
        for pair in stride(from: 0, to: 6, by: 2) {
            first &+= word(pair, isBig: isBig) &+ second
            second &+= word(pair + 1, isBig: isBig) &+ first
        }
        return first == word(6) && second == word(7)
    }

    private static func firstBytes(of path: String) -> [UInt8] {
        let descriptor = StoreFile.open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        return [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, bytes, 0))
        }
    }
}
