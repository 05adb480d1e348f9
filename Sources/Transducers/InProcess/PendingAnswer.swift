/// The answer that a sender waits for. It is given once: by the machine, by the stop of the
/// machine, or at its own deallocation.
@usableFromInline
final class PendingAnswer: Sendable {
    private enum Stage {
        /// The event is in the inbox, or in the machine's batch.
        case waiting
        /// The machine applies the event.
        case begun
        /// The state has the event; outputs and effects may follow.
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
    /// - Returns: `false` when the sender already has another answer.
    @usableFromInline
    func begin() -> Bool {
        progress.withLock { progress in
            guard progress.stage == .waiting else { return false }
            progress.stage = .begun
            return true
        }
    }

    /// Records that the state has the event. If the machine was stopped meanwhile, this is the
    /// answer: the machine may wait forever.
    @usableFromInline
    func markStored() {
        let isOver = progress.withLock { progress in
            if progress.stage == .begun { progress.stage = .stored }
            return progress.isStopped
        }
        if isOver { give(.applied) }
    }

    /// Gives the answer, unless one was given.
    @usableFromInline
    func give(_ verdict: SendVerdict) {
        let isFirst = progress.withLock { progress in
            defer { progress.stage = .given }
            return progress.stage != .given
        }
        if isFirst { body(verdict) }
    }

    var asAnswer: EventAnswer { { self.give($0) } }

    /// Answers when the machine is stopped: an event that hasn't begun gets `verdict`, one in the
    /// state has been applied, and the machine answers one between the two.
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
