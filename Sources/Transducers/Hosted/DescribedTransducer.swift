/// A machine with examples of its events and states, so that the op `describe` can draw it: it
/// applies each event in each state, on copies.
///
/// A machine whose states and events are `CaseIterable` enums needs no examples, and neither does
/// one with a table of routes. For other machines, `describe` shows the observed transitions.
///
/// ```swift
/// extension Order: DescribedTransducer {
///     static var sampleEvents: [Event] { [.place(total: 10), .pay(amount: 10)] }
///     static func name(of state: State) -> String? { state.paid > 0 ? "paid" : "open" }
/// }
/// ```
public protocol DescribedTransducer: BaseTransducer {
    /// An example of each event, with values that the machine accepts.
    static var sampleEvents: [Event] { get }

    /// Examples of states that these events don't reach from the initial one.
    static var sampleStates: [State] { get }

    /// The name of a state in lists and drawings; states of the same name are drawn as one. `nil`,
    /// the default, means the case's name of an enum, and otherwise the member `status` if it is an
    /// enum or a text. If the initial state has a name here, this function is called for each
    /// listed state, so it must be fast.
    static func name(of state: State) -> String?
}

extension DescribedTransducer {
    /// None.
    public static var sampleStates: [State] { [] }

    /// The name on the wire.
    public static func name(of state: State) -> String? { nil }
}

extension DescribedTransducer where Event: CaseIterable {
    /// All events.
    public static var sampleEvents: [Event] { Array(Event.allCases) }
}

extension DescribedTransducer where State: CaseIterable {
    /// All states.
    public static var sampleStates: [State] { Array(State.allCases) }
}
