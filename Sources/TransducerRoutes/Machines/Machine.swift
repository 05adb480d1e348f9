/// A machine of events as an object: routes and handlers can be added and removed while it runs.
///
/// ```swift
/// let machine = Machine<Gate, Push>(state: .locked) { machine in
///     machine.addRoutes(event: .coin, transitions: [.locked => .unlocked])
///     machine.addHandler(event: .coin) { context in print(context.toState) }
/// }
/// machine <-! .coin
/// ```
///
/// Its routes have the precedence of ``RouteTable``, by the same index. Unlike in a table, closures
/// may capture and do anything, and each call may carry `userInfo`. So a machine belongs to one
/// thread at a time and can't be hosted. For a server, declare a table.
///
/// **Within a handler**, the state has changed already. An attempt (``tryEvent(_:userInfo:)`` and
/// the like) is recorded there, returns `true`, and is made after all handlers of the step, before
/// the attempt from outside returns. One attempt from outside may cause 1,000 others; above that it
/// is refused: the state is unchanged, although handlers have run. A handler that another one
/// removes before it in the same step doesn't run; an added one runs from the next step on.
public class Machine<S: StateType, E: EventType> {
    /// The arguments of conditions and handlers.
    public typealias Context = (event: E?, fromState: S, toState: S, userInfo: Any?)

    /// The condition of a route, called before the change, at most once per attempt and
    /// destination.
    public typealias Condition = (Context) -> Bool

    /// Called after a change, or after a refusal.
    public typealias Handler = (Context) -> Void

    /// Computes the destination of an event, `nil` for none. For a requested destination the event
    /// is `nil`, and the result must be that destination.
    public typealias RouteMapping = (_ event: E?, _ fromState: S, _ userInfo: Any?) -> S?

    /// The present state.
    @inlinable
    public var state: S { current }

    @usableFromInline var current: S
    /// Routes and handlers as they were added.
    @usableFromInline var registry = MachineRegistry<S, E>()
    /// The table of the registry; `nil` after a change of the registry.
    @usableFromInline var arranged: MachineTable<S, E>?
    /// Whether handlers are running.
    @usableFromInline var isBusy = false
    /// Their attempts.
    @usableFromInline var caused: [MachineRequest<S, E>] = []
    /// The last refusal; its text is made on demand.
    var refused:
        (
            table: MachineTable<S, E>, request: MachineRequest<S, E>, state: S,
            reason: RouteRefusal<S, E>.Reason
        )?

    /// A machine in `state`, with the routes and handlers that `initClosure` adds.
    public init(state: S, initClosure: ((Machine) -> Void)? = nil) {
        current = state
        initClosure?(self)
    }

    /// Calls `closure` with the machine, to keep additions together.
    public func configure(_ closure: (Machine) -> Void) { closure(self) }

    /// The refusal of the last refused attempt; `nil` before the first.
    public var lastRefusal: RouteRefusal<S, E>? {
        refused.map { $0.table.refusal(of: $0.request, in: $0.state, $0.reason) }
    }

    /// The table of the present routes and handlers. Changes make another one.
    @inlinable
    func table() -> MachineTable<S, E> { arranged ?? arrange() }

    @usableFromInline
    func arrange() -> MachineTable<S, E> {
        let table = MachineTable(registry)
        arranged = table
        return table
    }

    /// Changes the registry and returns the registration that undoes the change.
    func register(_ add: (inout MachineRegistry<S, E>) -> Int) -> any Disposable {
        let id = add(&registry)
        arranged = nil
        return ActionDisposable { [weak self] in
            self?.registry.remove(id)
            self?.arranged = nil
        }
    }
}
