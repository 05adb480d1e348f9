/// The answer to a sender that waited for its event.
public enum SendVerdict: Sendable, Equatable {
    /// The event was applied with its immediate events, its outputs were delivered and its effects
    /// started, unless the run ended before that: then too, the state has the event.
    case applied
    /// The event doesn't fit the state; nothing changed.
    case refused(Rejection)
    /// `update` threw something other than a ``Rejection``; nothing changed.
    case failed(reason: String)
    /// The event wasn't applied, because the machine ended before, or at a bound.
    case notApplied(TransducerError)
    /// The event waits. The answer to a sender within the machine's step, such as an output
    /// callback: it can't wait for the step's end.
    case queued
}

extension SendVerdict {
    /// Throws the reason for which the event wasn't applied: a ``Rejection``, a ``StepError`` or a
    /// ``TransducerError``.
    public func check() throws {
        switch self {
        case .applied, .queued: break
        case .refused(let rejection): throw rejection
        case .failed(let reason): throw StepError(reason: reason)
        case .notApplied(let error): throw error
        }
    }
}
