/// An instance in memory: a state to apply events to.
public protocol HostedInstance: Sendable {
    /// Whether the state is terminal.
    var isTerminal: Bool { get }

    /// Writes the initial outputs and effects, if there are some, and the state of a new instance;
    /// the state alone of a restored one.
    func describeInitial(into step: inout StepBuffer) throws(StepFailure)

    /// Applies one event and all immediate events that it causes, and writes the result.
    ///
    /// - Throws: ``StepFailure``; the state is then as it was.
    mutating func apply(
        _ event: any HostedEvent, in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure)

    /// Does what the machine does when it is stopped from outside, and writes the result.
    ///
    /// - Returns: Whether there is something to do; without, nothing is written.
    /// - Throws: ``StepFailure``; the state is then as it was.
    mutating func stop(
        in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> Bool
}

extension HostedInstance {
    /// Does nothing.
    public mutating func stop(
        in context: StepContext, into step: inout StepBuffer
    ) throws(StepFailure) -> Bool { false }
}
