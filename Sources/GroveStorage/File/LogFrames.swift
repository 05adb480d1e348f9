#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The frames of SQLite's write-ahead log (its file format, sections 4.1 and 4.2).
///
/// SQLite ends a log at the first frame that isn't valid. After a crash that is right: a commit is
/// synced before the next one begins, so at most one commit, which nobody was told of, is after
/// such a frame. More of them were acknowledged, and the frame was damaged later.
struct LogFrames {
    /// Where a log is damaged.
    struct Damage: Equatable {
        /// The first byte of the damaged frame: the log is sound before it.
        var offset: Int
        /// Commits that are after it, or were in it.
        var commits: Int
    }

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24

    private let descriptor: Int32
    private let pageBytes: Int
    /// Whether the checksums are of big-endian words.
    private let isBig: Bool
    private let salts: UInt64
    /// The checksum before the first frame.
    private let seed: Sum

    private typealias Sum = (UInt32, UInt32)

    /// Finds damage that a crash doesn't explain.
    ///
    /// - Parameter path: A log with a valid header (``LogHeader/isValid(_:)``).
    /// - Returns: `nil` for a sound log, also for one that a crash has cut off.
    static func damage(in path: String) -> Damage? {
        let descriptor = StoreFile.open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return LogFrames(descriptor)?.damage()
    }

    private init?(_ descriptor: Int32) {
        var header = [UInt8](repeating: 0, count: Self.headerBytes)
        let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == Self.headerBytes else { return nil }
        func word(_ index: Int) -> UInt32 {
            header.withUnsafeBytes {
                UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
            }
        }
        self.descriptor = descriptor
        pageBytes = Int(word(2))
        guard (512...65_536).contains(pageBytes), pageBytes.nonzeroBitCount == 1 else { return nil }
        isBig = word(0) & 1 == 1
        salts = UInt64(word(4)) << 32 | UInt64(word(5))
        seed = (word(6), word(7))
    }

    private func damage() -> Damage? {
        let frameBytes = Self.frameHeaderBytes + pageBytes
        var frame = [UInt8](repeating: 0, count: frameBytes)
        var offset = Self.headerBytes
        var sum = seed
        var found: Damage?
        while frame.withUnsafeMutableBytes({ read($0, at: offset) }) {
            frame.withUnsafeBytes { frame in
                func word(_ index: Int) -> UInt32 {
                    UInt32(
                        bigEndian: frame.loadUnaligned(
                            fromByteOffset: 4 * index, as: UInt32.self))
                }
                let isCommit = word(1) != 0
                let isOfThisLog = UInt64(word(2)) << 32 | UInt64(word(3)) == salts
                var computed = sum
                add(UnsafeRawBufferPointer(rebasing: frame[..<8]), to: &computed)
                add(UnsafeRawBufferPointer(rebasing: frame[24...]), to: &computed)
                // From here on, a frame is compared with what the one before says of itself.
                sum = (word(4), word(5))
                let isValid = isOfThisLog && computed == sum
                if found == nil, !isValid {
                    found = Damage(offset: offset, commits: isOfThisLog && isCommit ? 1 : 0)
                } else if found != nil, isValid, isCommit {
                    found?.commits += 1
                }
            }
            offset += frameBytes
        }
        return found.flatMap { $0.commits > 1 ? $0 : nil }
    }

    /// Reads a whole frame; false at the end.
    private func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Bool {
        var length = 0
        while length < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length,
                off_t(offset + length))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            length += count
        }
        return true
    }

    /// Continues a checksum over pairs of words.
    private func add(_ bytes: UnsafeRawBufferPointer, to sum: inout Sum) {
        var (first, second) = sum
        for offset in stride(from: 0, to: bytes.count, by: 8) {
            let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
            first &+= (isBig ? one.bigEndian : one.littleEndian) &+ second
            second &+= (isBig ? other.bigEndian : other.littleEndian) &+ first
        }
        sum = (first, second)
    }
}
