/// The bounds of machines that run in process, each with its reason.
public enum RunLimits {
    /// Immediate events that one external event may cause: enough for feedback loops, and a bound
    /// for events that cause each other forever (semantics: "One step").
    public static let immediateEvents = 1_000

    /// Events of effects that may wait in an inbox: room for larger bursts than outside senders may
    /// send, because an effect can't send again later.
    public static let effectBufferSize = 16_384

    /// Waiting results of one tracked send; above it, the oldest are dropped and counted
    /// (``SendResults``).
    public static let waitingResults = 1_024
}
