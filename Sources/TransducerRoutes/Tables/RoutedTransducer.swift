@_exported public import Transducers

/// A transducer whose `update` is a table of routes.
///
/// ```swift
/// enum Gate: RoutedTransducer, InitialState {
///     enum State: StateType, NonTerminal, Codable { case locked, unlocked }
///     enum Event: EventType, Codable { case coin, push }
///     typealias Output = State?
///     static let routes = RouteTable<State, Event, State> { table in
///         table.on(.coin, .locked => .unlocked) { .output($0.toState) }
///         table.on(.push, .unlocked => .locked) { .output($0.toState) }
///     }
///     static var initialState: State { .locked }
/// }
/// ```
///
/// It is hosted and run as any other transducer. Its `Output` is an optional of the table's
/// outputs, `nil` (which is silent) for steps without output. A machine whose handlers may emit
/// several outputs in one step declares a list instead, `typealias Output = [Sound]`. A table
/// without outputs is one of `Never`; its machine leaves `Output` out.
///
/// An event without a route is rejected by a ``Rejection``, with the names of the events that have
/// a route from the state.
public protocol RoutedTransducer: EffectTransducer, SelfDescribingTransducer
where State: StateType, Event: EventType, TransducerOutput == (Self.Effect?, Output) {
    /// The outputs of the table's handlers.
    associatedtype RouteOutput

    /// The routes. A `static let`, so that the table is made once.
    static var routes: RouteTable<State, Event, RouteOutput> { get }

    /// The effect of a step. The default applies the events that its handlers raised; a machine
    /// with other effects returns these too, as the step requires.
    static func effect(of step: RouteStep<State, Event, RouteOutput>) -> Self.Effect?

    /// The output of a step. Every form of `Output` has a default.
    ///
    /// - Throws: ``RoutedOutputError`` for more outputs than `Output` can hold.
    static func output(of step: RouteStep<State, Event, RouteOutput>) throws -> Output
}

extension RoutedTransducer {
    /// One step of the table.
    ///
    /// - Throws: ``Rejection`` for an event without a route.
    @inlinable
    public static func update(
        _ state: inout State, event: Event
    ) throws -> (Self.Effect?, Output) {
        let step: RouteStep<State, Event, RouteOutput>
        do {
            step = try routes.step(&state, event: event)
        } catch {
            throw error.rejection
        }
        return (effect(of: step), try output(of: step))
    }

    /// The table's diagram and events.
    public static func description(from initial: State?) -> MachineDescription {
        let events = routes.storage.allEvents ?? routes.mentionedEvents()
        return MachineDescription(
            routes.diagram(initial: initial), events: events.map { RouteLabel.of($0) })
    }

    /// Applies the events that handlers raised, in order.
    @inlinable
    public static func effect(of step: RouteStep<State, Event, RouteOutput>) -> Self.Effect? {
        step.events.isEmpty ? nil : .events(step.events)
    }
}

extension RoutedTransducer where Output == RouteOutput? {
    /// The one output, or `nil`.
    ///
    /// - Throws: ``RoutedOutputError`` for several.
    @inlinable
    public static func output(
        of step: RouteStep<State, Event, RouteOutput>
    ) throws -> Output {
        guard step.outputs.count <= 1 else {
            throw RoutedOutputError(count: step.outputs.count)
        }
        return step.outputs.first
    }
}

extension RoutedTransducer where Output == [RouteOutput] {
    /// All outputs, in the order in which the handlers ran.
    @inlinable
    public static func output(of step: RouteStep<State, Event, RouteOutput>) -> Output {
        step.outputs
    }
}

extension RoutedTransducer where Output == Void, RouteOutput == Never {
    /// No output.
    @inlinable
    public static func output(of step: RouteStep<State, Event, RouteOutput>) {}
}

/// Handlers of one step emitted several outputs where the machine has room for one.
///
/// The step fails; the machine should declare its `Output` a list.
public struct RoutedOutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of outputs.
    public let count: Int

    @usableFromInline
    init(count: Int) { self.count = count }

    /// What is wrong and what to do.
    public var description: String {
        "the handlers of one step emitted \(count) outputs; declare Output as a list of them"
    }
}
