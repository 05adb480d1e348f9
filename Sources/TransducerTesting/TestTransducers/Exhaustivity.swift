/// How much of what a machine does a test has to state.
public enum Exhaustivity: Sendable, Equatable {
    /// Everything: each change of the state, event, output, effect and failure. Whatever is left
    /// over is a failure of the test.
    case on
    /// As much as it likes. Closures get the state *after* the event, so that they state only
    /// what they set; events and outputs that come before the expected one are skipped, and
    /// whatever is left over is dropped.
    case off
}
