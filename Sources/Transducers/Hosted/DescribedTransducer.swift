/// A machine that says by examples what it can do, so that the op `describe` can draw it: every
/// event is tried in every state, on copies.
///
/// A machine whose states and events are both `CaseIterable` enums needs no such declaration, and
/// one with a table of routes neither. Without any of the three, `describe` shows what was
/// observed.
///
/// ```swift
/// extension Order: DescribedTransducer {
///     static var sampleEvents: [Event] { [.place(total: 10), .pay(amount: 10)] }
///     static func name(of state: State) -> String? { state.paid > 0 ? "paid" : "open" }
/// }
/// ```
public protocol DescribedTransducer: BaseTransducer {
    /// An example of each event, with values that the machine would take.
    static var sampleEvents: [Event] { get }

    /// Examples of states that these events don't lead to from the initial one. Others are found.
    static var sampleStates: [State] { get }

    /// What a state is called in lists and drawings; states of one name are drawn as one. `nil`,
    /// the default, stands for the name of an enum's case, and for any other state for its member
    /// `status` where that is an enum or a text. A machine that gives its initial state a name here
    /// is asked for the name of every state that is listed, so it should be quick.
    static func name(of state: State) -> String?
}

extension DescribedTransducer {
    /// None: what the events lead to is found.
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
