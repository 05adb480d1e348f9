import Glibc
import GroveEngine

/// The file beside the data file, `NAME-crash`, that says after a trap whose code ran: a page with
/// the slots of the queues, and behind it what earlier starts know (``CrashLog``). Never synced:
/// it is to outlive the process, and after a power cut it has nothing to say.
final class CrashFile {
    /// Why there is none.
    struct Problem: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    private static let pageBytes = 4_096
    private static let logBytesMax = 256 << 10

    /// What the last run has left: at most one of each queue.
    let traps: [Trap]
    /// What earlier starts knew; to be changed and then written by ``begin(machines:)``.
    var log: CrashLog
    /// Where the engine's queue notes for whom code runs.
    let engine: CrashSlot
    /// The same of the queue that reads requests.
    let decoder: CrashSlot

    private let path: String
    private let descriptor: Int32
    private let page: UnsafeMutableRawPointer

    /// Reads what the last run has left, and begins anew. Whoever calls holds the data file's
    /// lock.
    ///
    /// - Throws: ``Problem`` when the file can't be made or mapped.
    init(path: String) throws(Problem) {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.problem("\(path) can't be opened") }
        let old = Self.read(descriptor)
        // Written, not only made longer: a mapped page without room on the disk is a SIGBUS.
        let zeros = [UInt8](repeating: 0, count: Self.pageBytes)
        guard pwrite(descriptor, zeros, zeros.count, 0) == zeros.count else {
            let problem = Self.problem("\(path) can't be written")
            _ = close(descriptor)
            throw problem
        }
        let mapped = mmap(
            nil, Self.pageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let mapped, mapped != MAP_FAILED else {
            let problem = Self.problem("\(path) can't be mapped")
            _ = close(descriptor)
            throw problem
        }
        page = mapped
        engine = CrashSlot(mapped)
        decoder = CrashSlot(mapped + CrashSlot.bytes)
        traps = old.traps
        log = old.log
        for slot in [mapped, mapped + CrashSlot.bytes] where !TrapSignals.watch(slot) {
            // More servers in one process than there is room for: this one's traps go unnoted.
            continue
        }
    }

    deinit { release() }

    private var isReleased = false

    private func release() {
        guard !isReleased else { return }
        isReleased = true
        TrapSignals.forget(page)
        TrapSignals.forget(page + CrashSlot.bytes)
        munmap(page, Self.pageBytes)
        _ = Glibc.close(descriptor)
    }

    /// Writes the log down, with the versions of the machines that run from now on.
    ///
    /// - Returns: Whether there was room for it. A log that isn't whole says nothing at the next
    ///   start, which then counts from one.
    func begin(machines: [String: String]) -> Bool {
        log.machines = machines
        let bytes = log.encoded()
        let written = pwrite(descriptor, bytes, bytes.count, off_t(Self.pageBytes))
        let isShort = ftruncate(descriptor, off_t(Self.pageBytes + bytes.count)) == 0
        return written == bytes.count && isShort && bytes.count <= Self.logBytesMax
    }

    /// Ends it with the server. The file goes, unless it still knows of crashes.
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

    private static func problem(_ text: String) -> Problem {
        Problem(description: "\(text) (errno \(errno))")
    }
}
