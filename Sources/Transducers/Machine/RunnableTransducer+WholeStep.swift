extension RunnableTransducer {
    /// Applies an event with all its immediate events, as a run does, but without effects.
    ///
    /// - Returns: The state after, and the outputs in order.
    /// - Throws: What `update` threw, or ``TransducerError/immediateEventLimit(_:)``.
    package static func wholeStep(
        of event: Event, in state: State,
        immediateEventsMax: Int = RunLimits.immediateEvents
    ) throws -> (state: State, outputs: [Output]) {
        var stepper = Stepper<Self>(
            immediateEventsMax: immediateEventsMax, keepsOutputs: true, isTraced: false)
        var after = state
        stepper.begin(.event(event))
        _ = try stepper.advance(&after)
        return (after, stepper.outputs)
    }
}
