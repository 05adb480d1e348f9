/// One instance in memory: a state that events are applied to.
public protocol HostedInstance: Sendable {
    /// Whether the state is terminal.
    var isTerminal: Bool { get }

    /// Writes the initial output, if there is one, and the state of a new instance.
    func describeInitial(into step: inout StepBuffer) throws(StepFailure)

    /// Applies one external event and all immediate events it causes, and describes the outcome.
    ///
    /// - Throws: ``StepFailure``; the state is then as it was.
    mutating func apply(
        _ event: any HostedEvent, limits: StepLimits, into step: inout StepBuffer
    ) throws(StepFailure)
}
