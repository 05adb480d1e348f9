public import GroveEngine

/// What a server forgets by itself (docs/operating/retention.md). By default, nothing.
public struct RetentionOptions: Sendable, Equatable {
    /// What the journal may hold.
    public var journal = JournalBounds()

    /// Milliseconds after its last step after which an instance that is done is deleted; `nil`
    /// for never.
    public var doneMillisecondsMax: Int64?

    /// Keeps everything.
    public init() {}
}

extension RetentionOptions {
    /// Bounds as they are configured, where 0 is for none.
    init(steps: Int, seconds: Int, bytes: Int, doneSeconds: Int) {
        func bound(_ number: Int, _ factor: Int64 = 1) -> Int64? {
            number == 0 ? nil : Int64(number) * factor
        }
        journal = JournalBounds(
            stepsMax: bound(steps), ageMillisecondsMax: bound(seconds, 1_000),
            bytesMax: bound(bytes))
        doneMillisecondsMax = bound(doneSeconds, 1_000)
    }
}
