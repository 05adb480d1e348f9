extension Machine {
    /// The destination of `event` in the present state, or `nil` if it would be refused. Conditions
    /// and mappings are called, no handler runs and nothing changes.
    @inlinable
    public func canTryEvent(_ event: E, userInfo: Any? = nil) -> S? {
        var rules = MachineRules(table: table(), event: event, from: state, userInfo: userInfo)
        return rules.decide(event: event)?.toState
    }

    /// Applies an event: the first route whose condition passes wins, else the first mapping with a
    /// destination. Without any, the error handlers run and nothing changes.
    ///
    /// - Returns: Whether it was applied; within a handler `true`, because it is applied later.
    @inlinable
    @discardableResult
    public func tryEvent(_ event: E, userInfo: Any? = nil) -> Bool {
        attempt(.event(event, userInfo: userInfo))
    }

    /// Whether a route or a mapping lets `event` lead along the arrow, in any state of the machine;
    /// `false` for an arrow with `.any`.
    public func hasRoute(
        event: E, transition: Transition<S>, userInfo: Any? = nil
    ) -> Bool {
        guard let from = transition.fromState.rawValue, let to = transition.toState.rawValue
        else { return false }
        return hasRoute(event: event, fromState: from, toState: to, userInfo: userInfo)
    }

    /// Whether a route or a mapping lets `event` lead from the one state to the other, in any state
    /// of the machine, even if another route would win.
    public func hasRoute(
        event: E, fromState: S, toState: S, userInfo: Any? = nil
    ) -> Bool {
        var rules = MachineRules(
            table: table(), event: event, from: fromState, userInfo: userInfo)
        return rules.hasRoute(event: event, to: toState)
    }
}
