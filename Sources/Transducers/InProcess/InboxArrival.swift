/// What is called, without the lock, when something has come into an inbox.
struct InboxArrival {
    let consumer: UnsafeContinuation<Void, Never>?
    let wakeUp: (@Sendable () -> Void)?

    func announce() {
        consumer?.resume()
        wakeUp?()
    }
}
