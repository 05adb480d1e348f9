import Glibc
import GroveEngine

/// The file beside the data file, `NAME-crash`, that names after a trap the instance whose code
/// ran: a page with the slots of the queues, and after it the ``CrashLog`` of earlier starts. Never
/// synced: it has to survive the process, and isn't needed after a power cut.
final class CrashFile {
    /// The reason why there is no file.
    struct Problem: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    private static let pageBytes = 4_096

    /// The traps of the last run: at most one per queue.
    let traps: [Trap]
    /// The log of earlier starts; ``start(machines:)`` writes it with its changes.
    var log: CrashLog
    /// The slot of the engine's queue.
    let engine: CrashSlot
    /// The slot of the queue that decodes requests.
    let decoder: CrashSlot

    private let path: String
    private let descriptor: Int32
    private let page: UnsafeMutableRawPointer

    /// Reads the file of the last run and clears its slots. The caller holds the data file's lock.
    ///
    /// - Throws: ``Problem`` when the file can't be created or mapped.
    init(path: String) throws(Problem) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.problem("\(path) can't be opened") }
        let old = Self.read(descriptor)
        // Written and not only extended: a mapped page without room on the disk is a SIGBUS.
        let zeros = [UInt8](repeating: 0, count: Self.pageBytes)
        guard pwrite(descriptor, zeros, zeros.count, 0) == zeros.count else {
            throw Self.problem("\(path) can't be written", closing: descriptor)
        }
        let mapped = mmap(nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else {
            throw Self.problem("\(path) can't be mapped", closing: descriptor)
        }
        page = mapped
        engine = CrashSlot(mapped)
        decoder = CrashSlot(mapped + CrashSlot.bytes)
        traps = old.traps
        log = old.log
        // Fails with too many servers in one process: then this one's traps aren't recorded.
        for slot in [mapped, mapped + CrashSlot.bytes] { _ = TrapSignals.watch(slot) }
    }

    deinit { release() }

    private var isReleased = false

    private func release() {
        guard !isReleased else { return }
        isReleased = true
        TrapSignals.unwatch(page)
        TrapSignals.unwatch(page + CrashSlot.bytes)
        munmap(page, Self.pageBytes)
        _ = Glibc.close(descriptor)
    }

    /// Writes the log, with the versions of the machines that run from now on.
    ///
    /// - Returns: Whether there was room for it. An incomplete log is ignored at the next start,
    ///   which then counts from one.
    func start(machines: [String: String]) -> Bool {
        log.machines = machines
        let bytes = log.encoded()
        let written = pwrite(descriptor, bytes, bytes.count, off_t(Self.pageBytes))
        let isShort = ftruncate(descriptor, off_t(Self.pageBytes + bytes.count)) == 0
        return written == bytes.count && isShort && bytes.count <= Self.logBytesMax
    }

    /// Closes the file at the end of the server, and removes it unless it has crashes.
    func end() {
        if log.isEmpty { unlink(path) }
        release()
    }

    private static func read(_ descriptor: Int32) -> (traps: [Trap], log: CrashLog) {
        var bytes = [UInt8](repeating: 0, count: pageBytes + logBytesMax)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= pageBytes else { return ([], CrashLog()) }
        let traps = bytes.withUnsafeBytes { bytes in
            [0, CrashSlot.bytes].compactMap { begin in
                CrashSlot.read(
                    UnsafeRawBufferPointer(rebasing: bytes[begin..<(begin + CrashSlot.bytes)]))
            }
        }
        return (traps, CrashLog.decoded(Array(bytes[pageBytes..<count])))
    }

    private static func problem(_ text: String, closing descriptor: Int32? = nil) -> Problem {
        defer { if let descriptor { _ = close(descriptor) } }
        return Problem(description: "\(text) (errno \(errno))")
    }
}
