/// What an event from outside comes to, with all the immediate events it causes.
package struct WholeStep<Machine: RunnableTransducer> {
    /// The state after.
    package let state: Machine.State
    /// The outputs, in order.
    package let outputs: [Machine.Output]

    /// Applies an event as a run does, but carries out no effects.
    ///
    /// - Throws: What `update` threw, or ``TransducerError/immediateEventLimit(_:)``.
    package init(
        of event: Machine.Event, in state: Machine.State,
        immediateEventsMax: Int = RunLimits.immediateEvents
    ) throws {
        var stepper = Stepper<Machine>(
            immediateEventsMax: immediateEventsMax, keepsOutputs: true, isTraced: false)
        var after = state
        stepper.begin(.event(event))
        _ = try stepper.advance(&after)
        self.state = after
        self.outputs = stepper.outputs
    }
}
