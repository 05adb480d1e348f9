extension Machine {
    /// Where `event` would lead from the present state, or `nil` where it would be refused.
    /// Conditions and mappings are asked, no handler runs and nothing changes.
    @inlinable
    public func canTryEvent(_ event: E, userInfo: Any? = nil) -> S? {
        var rules = MachineRules(table: table(), event: event, from: state, userInfo: userInfo)
        return rules.decide(event: event)?.toState
    }

    /// Applies an event: the first route whose condition passes wins, else the first mapping that
    /// answers. Without any, the error handlers run and nothing changes.
    ///
    /// - Returns: Whether it was taken; within a handler `true`, for it is made afterwards.
    @inlinable
    @discardableResult
    public func tryEvent(_ event: E, userInfo: Any? = nil) -> Bool {
        attempt(.event(event, userInfo: userInfo))
    }

    /// Whether a route or a mapping lets `event` lead along the arrow, wherever the machine is. An
    /// arrow with `.any` has none: the question is about two states.
    public func hasRoute(
        event: E, transition: Transition<S>, userInfo: Any? = nil
    ) -> Bool {
        guard let from = transition.fromState.rawValue, let to = transition.toState.rawValue
        else { return false }
        return hasRoute(event: event, fromState: from, toState: to, userInfo: userInfo)
    }

    /// Whether a route or a mapping lets `event` lead from the one state to the other, wherever the
    /// machine is, and whether or not another route would win.
    public func hasRoute(
        event: E, fromState: S, toState: S, userInfo: Any? = nil
    ) -> Bool {
        var rules = MachineRules(
            table: table(), event: event, from: fromState, userInfo: userInfo)
        return rules.hasRoute(event: event, to: toState)
    }
}
