/// The parts of the reply to an event.
public enum ReplyDetail: String, Hashable, Sendable, CaseIterable {
    /// Version and cursor: the server's default.
    case min
    /// Also the state after the event.
    case state
    /// Also state, outputs and effects.
    case full
}
