/// The names that an expression may use, and the event that it sees.
struct ScriptScope: Sendable {
    /// The place of an event's data.
    enum EventData: Sendable {
        /// Its members are those of the event; a value that is no object is `value`.
        case members
        /// A member holds it: `output` of done events, `error` of errors.
        case member(String)
    }

    /// The members of the context.
    var names: Set<String> = []
    /// The new names of states by their ids.
    var states: [String: String] = [:]
    var eventData = EventData.members
}
