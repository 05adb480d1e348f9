import GroveWire

/// One request from its submission to its answer, however often it is sent meanwhile.
struct Call: Sendable {
    let request: Request
    let reply: PendingReply
    /// When it fails if it has no answer by then.
    let deadline: ContinuousClock.Instant
    /// The time it was given, for the words of that failure.
    let timeout: Duration

    /// Its place among all calls of its client.
    var order = 0
    /// When it was sent for the first time.
    var firstSent: ContinuousClock.Instant?
    /// Whether one of its attempts may have been done.
    var isOutcomeUnknown = false
    /// What its last attempt came to.
    var lastError: ClientError?

    /// What to say when its time is over and it isn't under way.
    var expiry: ClientError {
        guard isOutcomeUnknown else {
            return lastError ?? .unavailable("no connection within \(timeout)")
        }
        // What the server said last leaves the outcome open as well, and says why.
        if let lastError, case .server = lastError, lastError.isOutcomeUnknown { return lastError }
        return .timeout(timeout)
    }

    /// Whether it is worth sending it again after an answer of the server.
    func isWorthRepeating(after error: ServerError) -> Bool {
        guard error.isRetryable else { return false }
        switch error.known {
        // The server has put it off, and has done nothing.
        case let code? where code.isRetryable && code.isDefinite: return true
        // The caller's own time for waiting is over.
        case .timeout where request.isPatient: return false
        // A write that failed is as good as a lost connection. Damaged data that can't be read
        // stay damaged: the operator has to know at once.
        case .storageError where request.isReading: return false
        default: return request.isRepeatable
        }
    }
}
