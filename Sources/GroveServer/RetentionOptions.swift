public import GroveEngine

/// What a server forgets by itself (docs/operating/retention.md). By default, nothing.
public struct RetentionOptions: Sendable, Equatable {
    /// What the journal may hold.
    public var journal = JournalBounds()

    /// What it may hold of single machines, by their names; both bounds hold. A machine that isn't
    /// hosted may have bounds: its steps can be there all the same.
    public var machines: [String: JournalBounds] = [:]

    /// Milliseconds after its last step after which an instance that is done is deleted; `nil`
    /// for never.
    public var doneMillisecondsMax: Int64?

    /// Keeps everything.
    public init() {}
}

extension RetentionOptions {
    /// The machines with bounds of their own that a server doesn't host, in order.
    func machinesUnknown(to catalogue: Catalogue) -> [String] {
        machines.keys.filter { catalogue[$0] == nil }.sorted()
    }
}
