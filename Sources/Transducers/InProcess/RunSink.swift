/// Sends the events of one run of an effect to the machine.
final class RunSink<Event>: EventSink {
    private let inbox: EventChannel<Event>
    private let run: EffectRunID

    init(inbox: EventChannel<Event>, run: EffectRunID) {
        self.inbox = inbox
        self.run = run
    }

    var inboxID: ObjectIdentifier { inbox.inboxID }

    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        try inbox.send(event, from: run, answer: answer)
    }

    func enqueue(_ event: sending Event) async throws(TransducerError) {
        try await inbox.enqueue(event, from: run)
    }
}
