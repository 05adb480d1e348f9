/// The answer that a sender waits for. It is given once: by the machine, by whoever stops the
/// machine before it got to the event, or, when it is dropped, by itself.
@usableFromInline
final class PendingAnswer: @unchecked Sendable {
    // Sendable, because everything below is used under the lock alone.

    private enum Stage {
        /// The event stands in the inbox, or in what the machine has taken from it.
        case waiting
        /// The machine applies the event.
        case begun
        /// The state has the event; outputs and effects may be still to come.
        case stored
        case given
    }

    private let lock = Lock()
    private let body: EventAnswer
    private var stage = Stage.waiting
    /// Whether the machine was stopped while it applied the event.
    private var isStopped = false

    init(_ body: @escaping EventAnswer) { self.body = body }

    deinit {
        if stage != .given { body(.notApplied(.ended)) }
    }

    /// The machine applies the event now.
    ///
    /// - Returns: Whether it may: `false` when the sender has been told otherwise.
    @usableFromInline
    func begin() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard stage == .waiting else { return false }
        stage = .begun
        return true
    }

    /// The state has the event. If the machine was stopped meanwhile, this is all that there is
    /// to say: what it waits for may never come.
    @usableFromInline
    func markStored() {
        lock.lock()
        if stage == .begun { stage = .stored }
        let isOver = isStopped
        lock.unlock()
        if isOver { give(.applied) }
    }

    /// Gives the answer, if none was given.
    @usableFromInline
    func give(_ verdict: SendVerdict) {
        lock.lock()
        let isFirst = stage != .given
        stage = .given
        lock.unlock()
        if isFirst { body(verdict) }
    }

    /// Gives the answer, as a closure.
    var asAnswer: EventAnswer { { self.give($0) } }

    /// The machine is stopped: an event that it hasn't begun gets this answer, one that is in the
    /// state has been applied, and of one between the two the machine will know.
    func stop(_ verdict: SendVerdict) {
        lock.lock()
        let stage = stage
        isStopped = true
        lock.unlock()
        switch stage {
        case .waiting: give(verdict)
        case .stored: give(.applied)
        case .begun, .given: break
        }
    }
}
