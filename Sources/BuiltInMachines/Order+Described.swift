public import Transducers

/// Samples for `describe`.
extension Order: DescribedTransducer {
    /// One example of each event; two where they lead to different states.
    public static var sampleEvents: [Event] {
        [
            .place(total: 10), .pay(amount: 10), .pay(amount: 4),
            .charge(url: "http://localhost/", order: nil), .charged, .expire,
            .ship(track: "T-1"), .deliver, .parcel(.delivered), .parcel(.lost),
            .cancel(reason: "no longer wanted"), .refunded,
            .failed(work: .charge, reason: "no answer"),
            .failed(work: .refund, reason: "no answer"),
        ]
    }

    /// A charged order: canceling it leads elsewhere than canceling one that was paid by hand.
    public static var sampleStates: [State] {
        var state = State()
        state.status = .paid
        (state.total, state.paid, state.charged) = (10, 10, 10)
        return [state]
    }
}
