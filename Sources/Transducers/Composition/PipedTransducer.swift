/// Two machines side by side of which the first feeds the second: an output of the first becomes
/// an event of the second, in the same step.
///
///     enum Compiler: PipedTransducer, InitialState {
///         typealias First = Lexer
///         typealias Second = Parser
///
///         static func pipe(_ token: Lexer.Output) -> Parser.Event? { token.map { .take($0) } }
///     }
///
/// It is a parallel product in all other respects. By default it ends with the second machine,
/// for then nobody is left to feed; a rule that ends it with the first
/// (``EndsWithAny``, ``EndsWithFirst``) keeps the second from hearing the first's last output.
///
/// The second machine applies what it is fed before the first continues with immediate events of
/// its own. If the second refuses, the whole step is refused, and the first is as it was too.
/// Initial outputs are told, and not piped.
public protocol PipedTransducer: ParallelTransducer {
    associatedtype Rule = EndsWithSecond

    /// The event that an output is for the second machine; `nil` for none.
    static func pipe(_ output: First.Output) -> Second.Event?
}

/// A piped machine (``PipedTransducer``) whose first machine's outputs are the second's events
/// as they are, for a `typealias`.
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
    /// Has the side that the event is for apply it, and feeds what comes out of the first to the
    /// second, unless that has ended.
    ///
    /// - Throws: As `step`.
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
