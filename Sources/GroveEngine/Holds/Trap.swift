/// What a trap has ended the process in.
public struct Trap: Sendable, Equatable {
    /// The instance whose code ran.
    public var name: InstanceName
    /// The effect that it followed from; 0 where it was a request.
    public var effectNumber: Int64
    /// The name of the event, where it was known.
    public var event: String?
    /// The signal: SIGILL, SIGTRAP, SIGSEGV and so on.
    public var signal: Int32

    /// Puts the four together.
    public init(name: InstanceName, effectNumber: Int64, event: String?, signal: Int32) {
        self.name = name
        self.effectNumber = effectNumber
        self.event = event
        self.signal = signal
    }
}
