import Transducers

/// What a machine under test has done, in order, until the test looks.
final class MachineLog<Machine: RunnableTransducer & SendableMetatype>: Sendable {
    // The entries' values were made on the machine's executor; the test looks at them while that
    // rests.

    enum Entry {
        case record(TraceRecord<Machine>)
        /// An event that the test sent has been answered.
        case answer(SendVerdict)
        /// The machine runs no more; with the error that ended it, if one did.
        case end((any Error)?)
    }

    private struct Contents {
        var entries: [Entry] = []
        var begun = false
    }

    private let contents = Locked(Contents())

    init() {}

    /// Whether the machine is there, so that what is sent to it finds it waiting.
    var hasBegun: Bool { contents.withLock { $0.begun } }

    func begin() { contents.withLock { $0.begun = true } }

    func append(_ entry: Entry) {
        contents.withLock { contents in
            contents.begun = true
            contents.entries.append(entry)
        }
    }

    /// Takes everything out.
    func takeAll() -> [Entry] {
        contents.withLock { contents in
            defer { contents.entries = [] }
            return contents.entries
        }
    }
}
