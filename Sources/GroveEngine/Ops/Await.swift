/// `await`: waits until an instance is done, or in a state.
public struct Await: Sendable {
    /// The condition that ends the wait.
    public enum Condition: Sendable, Hashable {
        case done
        case state(String)
    }

    public var to: InstanceName
    public var until: Condition
    /// Milliseconds until `TIMEOUT`, at most an hour.
    public var timeout: Int64
    /// Whether the reply names the active states.
    public var wantsStates: Bool

    public init(
        to: InstanceName, until: Condition, timeout: Int64, wantsStates: Bool = false
    ) {
        self.wantsStates = wantsStates
        self.to = to
        self.until = until
        self.timeout = timeout
    }
}

extension Engine {
    /// `await`: answers like `get` as soon as the condition holds.
    mutating func wait(for wanted: Await, of request: Request, in turn: Turn) -> Reply? {
        do throws(Failure) {
            let found = try find(wanted.to, in: turn)
            let stored = try self.stored(found, name: wanted.to)
            if case .state(let name) = wanted.until {
                guard let definition = catalogue[wanted.to.machine] else {
                    throw Failure.noSuchMachine(wanted.to.machine)
                }
                try definition.check(state: name, at: "$.until")
            }
            if isMet(wanted.until, by: stored) {
                var got = Reply.Got(stored, in: catalogue)
                if case .resident(let place) = found {
                    try readEffects(at: place, in: turn)
                    got.effects = shownEffects(at: place)
                }
                if wanted.wantsStates { got.activeStates = activeStates(of: stored) }
                return .got(got)
            }
            if stored.isDone { throw Failure.instanceDone(wanted.to, version: stored.version) }
            guard waiters.count < Limits.waitersMax else {
                throw Failure.limit("too many requests wait for effects or states")
            }
            waiters.insert(
                WaiterTable.Waiter(
                    connection: request.connection, token: request.token, caller: request.caller,
                    deadline: turn.now.advanced(by: wanted.timeout),
                    subject: .state(wanted.to, wanted.until), wantsStates: wanted.wantsStates),
                id: waiters.nextID())
            return nil
        } catch {
            return .failure(error)
        }
    }

    private mutating func isMet(
        _ condition: Await.Condition, by stored: StoredInstance
    ) -> Bool {
        switch condition {
        case .done: stored.isDone
        case .state(let name): stateNames(of: stored).contains(name)
        }
    }
}
