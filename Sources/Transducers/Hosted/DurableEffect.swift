/// A durable effect of a machine in process: its work, with the machine's event.
@usableFromInline
struct DurableEffect<Event>: Sendable {
    @usableFromInline let work: DurableWork<@Sendable () -> Event, DurableArgument>
    @usableFromInline var then: String?
    @usableFromInline var retry = RetryPolicy.standard
    @usableFromInline var timeout: Duration?
    @usableFromInline var undo: EffectUndo?

    /// The same effect of a machine that contains this one.
    func map<Whole>(
        _ embed: @escaping @Sendable (Event) -> Whole
    ) -> DurableEffect<Whole> {
        let work = work.map(event: { event in { @Sendable in embed(event()) } }, argument: { $0 })
        return DurableEffect<Whole>(
            work: work, then: then, retry: retry, timeout: timeout, undo: undo)
    }
}
