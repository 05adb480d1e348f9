/// The names that an expression may use, and the event that it sees.
struct ScriptScope: Sendable {
    /// The place of an event's data.
    enum EventData: Hashable, Sendable {
        /// Its members are those of the event; a value that is no object is `value`.
        case members
        /// A member holds it: `output` of done events, `error` of errors.
        case member(String)
        /// One of these holds it if the event has it, and otherwise the event itself.
        case either([String])
    }

    /// The members of the context.
    var names: Set<String> = []
    /// The kinds of members whose every value is known to be of one kind.
    var kinds: [String: CELText.Kind] = [:]
    /// The new names of states by their ids.
    var states: [String: String] = [:]
    var eventData = EventData.members
    /// Whether members of lists and objects are assigned, so that an alias would see it.
    var changesMembers = false
}
