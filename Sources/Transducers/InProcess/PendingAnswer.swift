/// The answer that a sender waits for. It is given once: by the machine, by whatever stops the
/// machine before it came to the event, or, when it is dropped, by itself.
@usableFromInline
final class PendingAnswer: Sendable {
    private enum Stage {
        /// The event is in the inbox, or in the batch that the machine took from it.
        case waiting
        /// The machine applies the event.
        case begun
        /// The state has the event; outputs and effects may be still to come.
        case stored
        case given
    }

    /// The stage, and whether the machine was stopped while it applied the event.
    private let progress = Locked((stage: Stage.waiting, isStopped: false))
    private let body: EventAnswer

    init(_ body: @escaping EventAnswer) { self.body = body }

    deinit {
        if progress.withLock({ $0.stage != .given }) { body(.notApplied(.ended)) }
    }

    /// Called before the machine applies the event.
    ///
    /// - Returns: Whether it may: `false` when the sender has got another answer.
    @usableFromInline
    func begin() -> Bool {
        progress.withLock { progress in
            guard progress.stage == .waiting else { return false }
            progress.stage = .begun
            return true
        }
    }

    /// The state has the event. If the machine was stopped meanwhile, this is the answer: what the
    /// machine waits for may never come.
    @usableFromInline
    func markStored() {
        let isOver = progress.withLock { progress in
            if progress.stage == .begun { progress.stage = .stored }
            return progress.isStopped
        }
        if isOver { give(.applied) }
    }

    /// Gives the answer, if none was given.
    @usableFromInline
    func give(_ verdict: SendVerdict) {
        let isFirst = progress.withLock { progress in
            defer { progress.stage = .given }
            return progress.stage != .given
        }
        if isFirst { body(verdict) }
    }

    /// The same, as a closure.
    var asAnswer: EventAnswer { { self.give($0) } }

    /// The machine is stopped: an event that it hasn't begun gets this answer, one that is in the
    /// state has been applied, and one between the two is answered by the machine.
    func stop(_ verdict: SendVerdict) {
        let stage = progress.withLock { progress in
            progress.isStopped = true
            return progress.stage
        }
        switch stage {
        case .waiting: give(verdict)
        case .stored: give(.applied)
        case .begun, .given: break
        }
    }
}
