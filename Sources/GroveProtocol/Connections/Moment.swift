public import GroveEngine

/// A reading of the clocks. Nothing in this target reads one.
public struct Moment: Sendable, Equatable {
    /// Milliseconds of a clock that never jumps, for waiting.
    public var uptime: Int64
    /// The wall clock, for texts.
    public var time: Timestamp

    public init(uptime: Int64, time: Timestamp) {
        self.uptime = uptime
        self.time = time
    }
}
