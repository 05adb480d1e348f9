/// Two machines side by side; an output of the first becomes an event of the second, in the same
/// step.
///
///     enum Compiler: PipedTransducer, InitialState {
///         typealias First = Lexer
///         typealias Second = Parser
///
///         static func pipe(_ token: Lexer.Output) -> Parser.Event? { token.map { .take($0) } }
///     }
///
/// It is a parallel product in all other respects. By default it ends with the second machine. With
/// a rule that ends it with the first (``EndsWithAny``, ``EndsWithFirst``), the second doesn't get
/// the first's last output.
///
/// The second machine applies a piped event before the first continues with its immediate events.
/// If the second refuses it, the whole step is refused, and the first is unchanged too. Initial
/// outputs aren't piped.
public protocol PipedTransducer: ParallelTransducer {
    associatedtype Rule = EndsWithSecond

    /// The second machine's event for an output; `nil` for none.
    static func pipe(_ output: First.Output) -> Second.Event?
}

/// A piped machine (``PipedTransducer``) in which the first machine's outputs are the second's
/// events, for a `typealias`.
public enum Piped<
    First: RunnableTransducer & SendableMetatype, Second: RunnableTransducer & SendableMetatype
>: PipedTransducer where First.Output == Second.Event {
    /// It ends with the second machine, or when one fails.
    public typealias Rule = EndsWithSecond

    /// The output itself.
    public static func pipe(_ output: First.Output) -> Second.Event? { output }
}

extension Piped: InitialState where First: InitialState, Second: InitialState {}

extension PipedTransducer {
    /// Applies an event to its side, and pipes an output of the first to the second, unless that
    /// has ended.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        let (effect, output) = try stepSide(&state, event)
        guard case .first(let given) = output, !state.second.isTerminal,
            let event = pipe(given)
        else { return (effect, output) }
        let fed = TransducerEffect<Self>.event(.second(event))
        return (effect.map { .parallel(fed, $0) } ?? fed, output)
    }
}
