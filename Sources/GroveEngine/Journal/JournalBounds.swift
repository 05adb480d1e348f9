/// What a journal, or a machine's part of it, may hold before the oldest steps are removed. A
/// member that is `nil` sets no bound; one is enough for a step to go.
public struct JournalBounds: Sendable, Equatable {
    /// Steps that stay, counted from the newest.
    public var stepsMax: Int64?
    /// Milliseconds that a step stays after it was taken.
    public var ageMillisecondsMax: Int64?
    /// Bytes of all steps: of the journal as they are stored, of a machine before they are
    /// compressed.
    public var bytesMax: Int64?

    /// No bound but those that are given.
    public init(
        stepsMax: Int64? = nil, ageMillisecondsMax: Int64? = nil, bytesMax: Int64? = nil
    ) {
        self.stepsMax = stepsMax
        self.ageMillisecondsMax = ageMillisecondsMax
        self.bytesMax = bytesMax
    }

    /// Whether everything stays.
    public var isEmpty: Bool {
        stepsMax == nil && ageMillisecondsMax == nil && bytesMax == nil
    }

    /// Whether steps may go.
    ///
    /// - Parameters:
    ///   - staying: How many steps stay without them.
    ///   - newest: When the newest of them was taken; `nil` when nothing of them is left, as with
    ///     those of deleted instances.
    ///   - bytes: The bytes of all steps, they themselves counted.
    ///   - now: The present time.
    public func allowsRemoval(
        staying: Int64, newest: Timestamp?, bytes: Int64, at now: Timestamp
    ) -> Bool {
        if let stepsMax, staying >= stepsMax { return true }
        if let bytesMax, bytes > bytesMax { return true }
        guard let ageMillisecondsMax else { return false }
        guard let newest else { return true }
        return now.milliseconds - newest.milliseconds > ageMillisecondsMax
    }
}
