/// A trap that has ended the process.
public struct Trap: Sendable, Equatable {
    public var name: InstanceName
    /// The effect that caused the step; 0 for a request.
    public var effectNumber: Int64
    /// The name of the event, if it was known.
    public var event: String?
    /// The signal: SIGILL, SIGTRAP, SIGSEGV and so on.
    public var signal: Int32

    package init(name: InstanceName, effectNumber: Int64, event: String?, signal: Int32) {
        self.name = name
        self.effectNumber = effectNumber
        self.event = event
        self.signal = signal
    }
}
