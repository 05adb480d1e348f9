/// What became of an event whose sender waited.
public enum SendVerdict: Sendable, Equatable {
    /// The event was applied, with all immediate events it caused; its outputs have been
    /// delivered and its effects started, unless the run was ended before that: the state has
    /// the event then, too.
    case applied
    /// The event doesn't fit the state; nothing changed.
    case refused(Rejection)
    /// `update` threw something other than a ``Rejection``; nothing changed.
    case failed(reason: String)
    /// The event was not applied, because the machine ended or was stopped before, or because a
    /// bound was met.
    case notApplied(TransducerError)
    /// The event waits. The answer to a sender that is itself part of the machine's step, such
    /// as an output callback: it can't wait for the step to end.
    case queued
}

extension SendVerdict {
    /// Throws what kept the event from being applied, if anything did: a ``Rejection``, a
    /// ``StepError`` or a ``TransducerError``.
    public func check() throws {
        switch self {
        case .applied, .queued: break
        case .refused(let rejection): throw rejection
        case .failed(let reason): throw StepError(reason: reason)
        case .notApplied(let error): throw error
        }
    }
}
