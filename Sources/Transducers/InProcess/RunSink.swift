/// Where one run of an effect sends its events.
final class RunSink<Event>: EventSink {
    private let inbox: EventChannel<Event>
    private let run: EffectRunID
    /// Whether the machine has ended: the effect is one of the last step.
    private let dropsEvents: Bool

    init(inbox: EventChannel<Event>, run: EffectRunID, dropsEvents: Bool) {
        self.inbox = inbox
        self.run = run
        self.dropsEvents = dropsEvents
    }

    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        if dropsEvents {
            answer?(.notApplied(.ended))
        } else {
            try inbox.send(event, from: run, answer: answer)
        }
    }

    func enqueue(_ event: sending Event) async throws(TransducerError) {
        if !dropsEvents { try await inbox.enqueue(event, from: run) }
    }
}
