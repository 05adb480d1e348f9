public import OrderedJSON

/// Two machines one after the other as one: the result of the first, its last output, determines
/// the second's state.
///
///     enum Visit: SequentialTransducer, InitialState {
///         typealias First = SignIn
///         typealias Second = Shopping
///
///         static func next(_ user: User, from state: SignIn.State) -> Shopping.State {
///             Shopping.State(user: user)
///         }
///     }
///
/// The second machine begins in the step that ends the first. Events for the machine that doesn't
/// run are refused. A step is refused as a whole if the first machine has one more immediate event
/// after the one that ended it. For a longer sequence, nest sequences.
public protocol SequentialTransducer: PairTransducer
where
    State == SequentialState<First.State, Second.State>,
    Event == PairEvent<First.Event, Second.Event>,
    Output == SequentialOutput<First.Output, Second.Output>
{
    /// The state in which the second machine begins.
    ///
    /// - Parameters:
    ///   - result: The first machine's last output.
    ///   - state: The state in which it has ended.
    /// - Throws: As `update`: the step that would have ended the first machine is then refused.
    static func next(_ result: First.Output, from state: First.State) throws -> Second.State
}

extension SequentialTransducer where First: InitialState {
    /// The first machine in its initial state.
    public static var initialState: State { .first(First.initialState) }
}

extension SequentialTransducer {
    /// `.first`
    public static func event(first event: First.Event) -> Event { .first(event) }

    /// `.second`
    public static func event(second event: Second.Event) -> Event { .second(event) }

    /// The state as the machine that runs migrates it, from an earlier version of the sequence.
    public static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
        try state.replacingSide(
            first: { try First.migrate(state: $0, from: version) },
            second: { try Second.migrate(state: $0, from: version) })
    }

    /// The event as its machine migrates it.
    public static func migrate(event: JSONValue) throws -> JSONValue {
        try migrateOfSide(event: event)
    }

    /// The internal events of the two: `first.` or `second.`, and the name there.
    public static func internalName(of event: Event) -> String? {
        switch event {
        case .first(let event): internalName(ofFirst: event)
        case .second(let event): internalName(ofSecond: event)
        }
    }

    /// The initial output of the machine that runs.
    public static func initialOutput(initialState: State) -> Output? {
        switch initialState {
        case .first(let state): First.initialOutput(initialState: state).map { .first($0) }
        case .second(let state): Second.initialOutput(initialState: state).map { .second($0) }
        }
    }

    /// The resumption of the machine that runs.
    public static func resume(_ state: State) -> TransducerEffect<Self>? {
        switch state {
        case .first(let state): firstMapping.embed(First.resume(state), ended: false)
        case .second(let state): secondMapping.embed(Second.resume(state), ended: false)
        }
    }

    /// Applies an event to the machine that runs, and begins the second when the first ends.
    ///
    /// - Throws: The errors of the machine and of `next`; ``Rejection`` for an event for the other
    ///   machine.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        switch (state, event) {
        case (.first(var part), .first(let event)):
            let (effect, output) = try First.step(&part, event)
            guard part.isTerminal else {
                state = .first(part)
                if effect == nil { return (nil, .first(output)) }
                return (firstMapping.embed(effect, ended: false), .first(output))
            }
            let second = try next(output, from: part)
            state = .second(second)
            let initial = Second.initialOutput(initialState: second)
            return (
                firstMapping.embed(effect, ended: true),
                initial.map { .handover(first: output, second: $0) } ?? .first(output)
            )
        case (.second(var part), .second(let event)):
            let (effect, output) = try Second.step(&part, event)
            state = .second(part)
            if effect == nil { return (nil, .second(output)) }
            return (secondMapping.embed(effect, ended: false), .second(output))
        case (.first, .second):
            throw Rejection("the second machine hasn't begun yet", accepts: ["first"])
        case (.second, .first):
            throw PairSide.first.hasEnded(accepts: ["second"])
        }
    }
}

/// The state of the machine that runs. On the wire
/// `{"type":"first","value":…}` or `{"type":"second","value":…}`.
public enum SequentialState<First: Terminable, Second: Terminable>: FailableState {
    /// The first machine runs.
    case first(First)
    /// The first machine has ended, the second runs.
    case second(Second)

    /// Whether the second machine has ended. A sequence that begins with an ended first machine has
    /// no result for the second, and so has ended too.
    @inlinable
    public var isTerminal: Bool {
        switch self {
        case .first(let state): state.isTerminal
        case .second(let state): state.isTerminal
        }
    }

    /// Whether the machine that runs has ended in a failure state.
    public var isFailure: Bool {
        switch self {
        case .first(let state): (state as? any FailableState)?.isFailure == true
        case .second(let state): (state as? any FailableState)?.isFailure == true
        }
    }
}

extension SequentialState: Sendable where First: Sendable, Second: Sendable {}
extension SequentialState: Equatable where First: Equatable, Second: Equatable {}
extension SequentialState: Hashable where First: Hashable, Second: Hashable {}
extension SequentialState: Encodable where First: Encodable, Second: Encodable {}
extension SequentialState: Decodable where First: Decodable, Second: Decodable {}

/// An output of a sequence, with its machine. On the wire `{"type":"first","value":…}` and so on.
/// Silent if the machine's output is.
public enum SequentialOutput<First, Second> {
    /// Of the first machine.
    case first(First)
    /// Of the second machine.
    case second(Second)
    /// The result of the first machine, and the initial output of the second, if it has one.
    case handover(first: First, second: Second)
}

extension SequentialOutput: SilenceableOutput {
    /// Whether the machine's output is silent or `Void`.
    public var isSilent: Bool {
        switch self {
        case .first(let output): NoOutput.isSilent(output)
        case .second(let output): NoOutput.isSilent(output)
        case .handover(let first, let second): NoOutput.isSilent(first) && NoOutput.isSilent(second)
        }
    }
}

extension SequentialOutput: Sendable where First: Sendable, Second: Sendable {}
extension SequentialOutput: Equatable where First: Equatable, Second: Equatable {}
extension SequentialOutput: Hashable where First: Hashable, Second: Hashable {}
extension SequentialOutput: Encodable where First: Encodable, Second: Encodable {}
extension SequentialOutput: Decodable where First: Decodable, Second: Decodable {}
