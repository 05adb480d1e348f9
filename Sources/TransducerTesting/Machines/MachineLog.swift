import Transducers

/// The actions of a machine under test, in order, until the test reads them.
final class MachineLog<Machine: RunnableTransducer & SendableMetatype>: Sendable {
    // The machine's executor makes the entries' values; the test reads them while it is idle.

    enum Entry {
        case record(TraceRecord<Machine>)
        /// The answer to an event that the test sent.
        case answer(SendVerdict)
        /// The end of the machine, with the error that ended it, if one did.
        case end((any Error)?)
    }

    private let contents = Locked((entries: [Entry](), hasBegun: false))

    init() {}

    /// Whether the machine runs, so that it waits for events.
    var hasBegun: Bool { contents.withLock { $0.hasBegun } }

    func markBegun() { contents.withLock { $0.hasBegun = true } }

    func append(_ entry: Entry) {
        contents.withLock { contents in
            contents.hasBegun = true
            contents.entries.append(entry)
        }
    }

    func removeAll() -> [Entry] {
        contents.withLock { contents in
            defer { contents.entries = [] }
            return contents.entries
        }
    }
}
