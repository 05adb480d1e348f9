import Transducers

/// What a machine under test has done, in order, until the test looks.
final class MachineLog<Machine: RunnableTransducer & SendableMetatype>: @unchecked Sendable {
    // Sendable, because the entries are used under the lock alone. Their values were made on the
    // machine's executor; the test looks at them while that rests.

    enum Entry {
        case record(TraceRecord<Machine>)
        /// An event that the test sent has been answered.
        case answer(SendVerdict)
        /// The machine runs no more; with the error that ended it, if one did.
        case end((any Error)?)
    }

    private let lock = Lock()
    private var entries: [Entry] = []
    private var begun = false

    init() {}

    /// Whether the machine is there, so that what is sent to it finds it waiting.
    var hasBegun: Bool { lock.withLock { begun } }

    func begin() { lock.withLock { begun = true } }

    func append(_ entry: Entry) {
        lock.withLock {
            begun = true
            entries.append(entry)
        }
    }

    /// Takes everything out.
    func takeAll() -> [Entry] {
        lock.withLock {
            defer { entries = [] }
            return entries
        }
    }
}
