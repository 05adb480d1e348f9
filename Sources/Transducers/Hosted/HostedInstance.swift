/// An instance in memory: a state to apply events to.
public protocol HostedInstance: Sendable {
    /// Whether the state is terminal.
    var isTerminal: Bool { get }

    /// Writes the initial output, if there is one, and the state of a new instance.
    func describeInitial(into step: inout StepBuffer) throws(StepFailure)

    /// Applies one event and all immediate events that it causes, and writes the result.
    ///
    /// - Throws: ``StepFailure``; the state is then as it was.
    mutating func apply(
        _ event: any HostedEvent, limits: StepLimits, into step: inout StepBuffer
    ) throws(StepFailure)
}
