/// Drops events, as a machine does that has ended.
final class MutedSink<Event>: EventSink {
    var inboxID: ObjectIdentifier { ObjectIdentifier(self) }

    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        answer?(.notApplied(.ended))
    }

    func enqueue(_ event: sending Event) async throws(TransducerError) {}
}
