/// A machine that is changed by events, as an object: routes and handlers can be added and taken
/// back while it runs.
///
/// ```swift
/// let machine = Machine<Gate, Push>(state: .locked) { machine in
///     machine.addRoutes(event: .coin, transitions: [.locked => .unlocked])
///     machine.addHandler(event: .coin) { context in print(context.toState) }
/// }
/// machine <-! .coin
/// ```
///
/// Its routes have the precedence of ``RouteTable``, found by the same index. What differs from a
/// table: closures may capture anything and do anything, each call may carry `userInfo`, and so a
/// machine belongs to one thread at a time and can't be hosted. For a server, declare a table.
///
/// **Within a handler**, the state has changed already, and an attempt (``tryEvent(_:userInfo:)``
/// and its kin) is taken note of and made when all handlers of the step have run, before the
/// attempt from outside returns; it answers `true` for "taken note of". One attempt from outside
/// may cause 1,000 others; past that it is refused: the state is as it was before it, though
/// handlers that ran have run. A handler that is taken back by one that runs before it in the same
/// step does not run; one that is added runs from the next step on.
public class Machine<S: StateType, E: EventType> {
    /// What conditions and handlers are told.
    public typealias Context = (event: E?, fromState: S, toState: S, userInfo: Any?)

    /// What must hold for a route: asked before the change, at most once in an attempt for each
    /// destination.
    public typealias Condition = (Context) -> Bool

    /// What is to be done after a change, or after a refusal.
    public typealias Handler = (Context) -> Void

    /// A closure that says where an event leads, `nil` for nowhere. The event is `nil` when a
    /// destination was asked for; the answer must then be that destination.
    public typealias RouteMapping = (_ event: E?, _ fromState: S, _ userInfo: Any?) -> S?

    /// The present state.
    @inlinable
    public var state: S { current }

    @usableFromInline var current: S
    /// Routes and handlers as they were added.
    @usableFromInline var registry = MachineRegistry<S, E>()
    /// The same, arranged for use; `nil` when something was added or taken back since.
    @usableFromInline var arranged: MachineTable<S, E>?
    /// Whether handlers are running.
    @usableFromInline var isBusy = false
    /// What they asked for.
    @usableFromInline var caused: [MachineRequest<S, E>] = []
    /// What the last refusal was about.
    var refused: MachineRefusal<S, E>?

    /// A machine in `state`, with what `initClosure` adds to it.
    public init(state: S, initClosure: ((Machine) -> Void)? = nil) {
        current = state
        initClosure?(self)
    }

    /// Adds routes and handlers in a closure, to keep them together.
    public func configure(_ closure: (Machine) -> Void) { closure(self) }

    /// Why the last refused attempt was refused; `nil` before the first.
    public var lastRefusal: RouteRefusal<S, E>? { refused?.refusal }

    /// The routes and handlers of this moment, arranged. What is added or taken back later makes
    /// another one.
    @inlinable
    func table() -> MachineTable<S, E> { arranged ?? arrange() }

    @usableFromInline
    func arrange() -> MachineTable<S, E> {
        let table = MachineTable(registry)
        arranged = table
        return table
    }

    /// Changes the registrations and answers with what takes the change back.
    func register(_ add: (inout MachineRegistry<S, E>) -> Int) -> any Disposable {
        let id = add(&registry)
        arranged = nil
        return ActionDisposable { [weak self] in
            self?.registry.remove(id)
            self?.arranged = nil
        }
    }
}
