import Glibc
import GroveNetwork

extension CrashFile {
    /// Bytes of the log of earlier crashes.
    static let logBytesMax = 256 << 10
}

extension CrashLog {
    /// Entries that are kept, and waves; the oldest are removed first.
    static let entriesMax = 16
}

extension CrashSlot {
    /// Bytes kept of an event: its name is near the beginning.
    static let eventBytesMax = 256
}

extension TrapSignals {
    /// Slots that are watched at once: two per server in the process.
    static let slotsMax = 64
}

extension ConfigurationFile {
    /// Bytes of the longest file; the one with every key and reason has about 6,000.
    static let bytesMax = 1 << 20

    /// Bytes of a wrong value that a message shows.
    static let shownBytesMax = 80
}

extension MachineBounds {
    /// Machines that may have bounds; each is checked once per second.
    static let machinesMax = 256
}

extension DrawingDesk {
    /// Clients whose drawings wait: one takes some ten milliseconds, so the last one waits for
    /// about a second.
    static let waitingMax = 64

    /// Bytes of a drawing. One of 64 states has some 80,000, one of 256 half a million; nobody can
    /// read a larger one.
    static let drawingBytesMax = 4 << 20

    /// Drawings that are kept for those who ask later.
    static let keptMax = 64

    /// Bytes of them and of their graphs; one that needs more than a quarter isn't kept.
    static let keptBytesMax = 8 << 20
}

extension AccessLog {
    /// Lines of each kind in one second: enough to see from where somebody tries, and too few to
    /// fill a disk.
    static let linesPerSecondMax = 10
}

extension LogOutput {
    /// Bytes of the longest line: a writable pipe has room for this many.
    static let lineBytesMax = Int(PIPE_BUF)
}

extension LogText {
    /// Bytes of one message or value; longer ones are cut.
    static let bytesMax = 2 << 10
}

extension Housekeeping {
    /// Unreadable instances that the log names.
    static let reportedMax = 100

    /// Milliseconds that an entry of the audit is kept: 400 days, so that a yearly review sees all
    /// of its year.
    static let auditAgeMax: Int64 = 400 * 86_400_000

    /// Milliseconds between two searches for older ones: a day more or less makes no difference.
    static let auditPeriod: Int64 = 86_400_000
}

extension EngineLoop {
    /// Bytes after which a batch takes no more requests: a state of a megabyte that compresses
    /// badly takes some thirty milliseconds, in journal and snapshot.
    static let batchBytesMax = 512 << 10
}

extension MachineFolder {
    /// Problems of one file that are logged.
    static let problemsLoggedMax = 20
}

extension EngineLoop {
    /// Machines that the log names when they have instances and aren't hosted.
    static let unhostedNamedMax = 5

    /// Descriptions that are made at once: clients may ask for thousands, and the processors are
    /// there for events.
    static let descriptionsAtOnce = 1
}

extension DefinitionQueue {
    /// Definitions that are read at once. One takes up to a third of a second.
    static let readMax = 4
}

extension Intake {
    /// Requests per turn of a connection.
    static let requestsPerTurn = 64
}

extension EngineLoop {
    /// The duration of a commit, in microseconds, up to which this queue's thread reads the next
    /// requests: nothing else reads them meanwhile.
    static let fastCommitMicroseconds: Int64 = 2_000

    /// Answers and records of a commit that this queue's thread sends, at most. More are sent by
    /// the io queue, while this one commits.
    static let answersSentHereMax = 64

    /// Bytes of these records.
    static let recordBytesSentHereMax = 64 << 10

    /// Turns of work whose results are on their way to the connections: one is written while the
    /// next one reads.
    static let turnsOnTheWayMax = 2
}

extension Socket {
    /// Bytes of a TCP connection that the kernel takes and can't send yet, because the client
    /// doesn't read: enough for a fast one, and far less than fits into the kernel's buffer (2.5 MB
    /// on loopback). The rest stays in the server, where it is counted and bounded, or isn't even
    /// made before the client reads.
    static let kernelUnsentBytesMax: Int32 = 128 << 10
}

extension SocketLoop {
    /// Reads per turn of a connection, so that the others have theirs.
    static let readsPerTurn = 4

    /// Sockets that are read or written per turn; the next turn has the others.
    static let reportsPerTurn = 256

    /// Requests of several connections that one post carries to the engine, at least. More leave at
    /// once, so that the engine works on them while other sockets are read.
    static let requestsPerPost = 256

    /// The time for which the engine's thread waits for the next requests, in milliseconds: about
    /// that of a sync.
    static let waitMilliseconds: Int32 = 1

    /// Connections whose TLS handshake takes a step in one turn, of a third of a millisecond each:
    /// all others wait for it.
    static let handshakesPerTurn = 2

    /// The same in a turn for which the engine's thread waits, and with it all commits.
    static let handshakesPerWait = 1

    /// TLS handshakes whose first bytes wait, because they are paced. While there are this many, no
    /// connection with TLS is accepted: clients wait in the kernel.
    static let pacedHandshakesMax = 64

    /// Connections with TLS accepted per turn: many clients that come together have time for their
    /// handshakes, and don't displace each other. The rest waits in the kernel.
    static let acceptsWithTLSPerTurn = 8

    /// Connections accepted per turn, so that existing clients are served in between.
    static let acceptsPerTurn = 64
}
