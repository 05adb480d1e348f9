/// What a durable effect does, as data: what a host stores, and what is still there after a crash.
@usableFromInline
struct DurableEffect<Event>: Sendable {
    /// The kinds of work that need no closure.
    @usableFromInline
    enum Kind: Sendable {
        /// Applies the event when so much time has passed.
        case after(Duration, @Sendable () -> Event)
        /// Calls a handler.
        case perform(String, DurableArgument)
        /// Sends an event to another instance, `machine/instance`.
        case send(to: String, DurableArgument, after: Duration)
        /// Starts an instance of another machine that belongs to this one.
        case start(machine: String, instance: String?, input: DurableArgument?, isDetached: Bool)
        /// Waits for an answer from outside, at most so long.
        case ask(expires: Duration?)
        /// Undoes what has been completed and says how it is undone, last first.
        case compensate
    }

    let kind: Kind
    var then: String?
    var retry = RetryPolicy.standard
    var timeout: Duration?
    var undo: EffectUndo?
}

extension DurableEffect {
    /// The same of a machine that contains this one.
    func map<Whole>(
        _ embed: @escaping @Sendable (Event) -> Whole
    ) -> DurableEffect<Whole> {
        let kind: DurableEffect<Whole>.Kind =
            switch kind {
            case .after(let duration, let event): .after(duration, { embed(event()) })
            case .perform(let name, let argument): .perform(name, argument)
            case .send(let instance, let event, let delay):
                .send(to: instance, event, after: delay)
            case .start(let machine, let instance, let input, let isDetached):
                .start(
                    machine: machine, instance: instance, input: input, isDetached: isDetached)
            case .ask(let expires): .ask(expires: expires)
            case .compensate: .compensate
            }
        return DurableEffect<Whole>(
            kind: kind, then: then, retry: retry, timeout: timeout, undo: undo)
    }
}
