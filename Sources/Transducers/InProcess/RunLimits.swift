/// The bounds of machines that run in process, each with its reason.
public enum RunLimits {
    /// Immediate events that one external event may cause: enough for loops by feedback, and a
    /// bound for events that cause each other for ever (semantics: "One step").
    public static let immediateEvents = 1_000

    /// Events of effects that may wait in an inbox: room for bursts that outside senders aren't
    /// allowed, because an effect can't be told to come back later.
    public static let effectBufferSize = 16_384

    /// Results of one tracked send that wait to be read; beyond it the oldest make room and are
    /// counted (``SendResults``).
    public static let waitingResults = 1_024
}
