/// How much of a machine's behavior a test must state.
public enum Exhaustivity: Sendable, Equatable {
    /// Everything: each change of the state, event, output, effect and failure. The rest is a
    /// failure of the test.
    case on
    /// Any part. Closures get the state *after* the event, so that they state only what they set.
    /// Events and outputs before the expected one are skipped, and the rest is dropped.
    case off
}
