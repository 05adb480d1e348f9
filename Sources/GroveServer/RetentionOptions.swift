public import GroveEngine

/// The data that a server removes by itself (docs/operating/retention.md). By default, none.
public struct RetentionOptions: Sendable, Equatable {
    /// The bounds of the journal.
    public var journal = JournalBounds()

    /// Further bounds of single machines, by their names. A machine that isn't hosted may have
    /// bounds, because its steps can still be stored.
    public var machines: [String: JournalBounds] = [:]

    /// Milliseconds from the last step of a done instance to its deletion; `nil` for never.
    public var doneMillisecondsMax: Int64?

    /// Keeps everything.
    public init() {}
}

extension RetentionOptions {
    /// The machines with bounds that a server doesn't host, in order.
    func machinesUnknown(to catalogue: Catalogue) -> [String] {
        machines.keys.filter { catalogue[$0] == nil }.sorted()
    }
}
