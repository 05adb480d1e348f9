/// A machine that knows its states, events and transitions, as one with a table of routes does.
/// The op `describe` shows what it says, and tries no events.
public protocol SelfDescribingTransducer: BaseTransducer {
    /// The description of an instance that begins in `initial`; `nil` leaves out where it begins.
    static func description(from initial: State?) -> MachineDescription
}
