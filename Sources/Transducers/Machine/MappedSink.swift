/// Sends the events of a part's effects to the whole, as the whole's.
final class MappedSink<PartEvent, Event>: EventSink {
    private let whole: any EventSink<Event>
    private let embed: @Sendable (PartEvent) -> Event

    init(_ whole: any EventSink<Event>, embed: @escaping @Sendable (PartEvent) -> Event) {
        self.whole = whole
        self.embed = embed
    }

    var inboxID: ObjectIdentifier { whole.inboxID }

    func send(
        _ event: sending PartEvent, answer: EventAnswer?
    ) throws(TransducerError) {
        try whole.send(embed(event), answer: answer)
    }

    func enqueue(_ event: sending PartEvent) async throws(TransducerError) {
        try await whole.enqueue(embed(event))
    }
}
