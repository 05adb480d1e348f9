/// The bounds of a journal, or of a machine's part of it, above which the oldest steps are removed.
/// `nil` sets no bound; exceeding one bound is enough.
public struct JournalBounds: Sendable, Equatable {
    /// The number of newest steps that stay.
    public var stepsMax: Int64?
    /// The age up to which a step stays, in milliseconds.
    public var ageMillisecondsMax: Int64?
    /// The bytes of all steps: as stored for a journal, before compression for a machine.
    public var bytesMax: Int64?

    public init(
        stepsMax: Int64? = nil, ageMillisecondsMax: Int64? = nil, bytesMax: Int64? = nil
    ) {
        self.stepsMax = stepsMax
        self.ageMillisecondsMax = ageMillisecondsMax
        self.bytesMax = bytesMax
    }

    public var isEmpty: Bool {
        stepsMax == nil && ageMillisecondsMax == nil && bytesMax == nil
    }

    /// Whether steps may be removed.
    ///
    /// - Parameters:
    ///   - staying: The number of steps that stay without them.
    ///   - newest: The time of the newest of them, at the latest; `nil` without any, as for deleted
    ///     instances.
    ///   - bytes: The bytes of all steps, with these.
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
