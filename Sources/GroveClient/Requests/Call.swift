import GroveWire

/// One request from its submission to its answer, with all its attempts.
struct Call: Sendable {
    let request: Request
    let reply: PendingReply
    /// The time at which it fails without an answer.
    let deadline: ContinuousClock.Instant
    /// The timeout that led to ``deadline``, for the text of that failure.
    let timeout: Duration

    /// Its number among all calls of its client.
    var order = 0
    /// When it was sent for the first time.
    var firstSent: ContinuousClock.Instant?
    /// Whether the server may have carried out one of its attempts.
    var isOutcomeUnknown = false
    /// The error of its last attempt.
    var lastError: ClientError?
    /// Whether it waits for no other call about its instance.
    var isAside = false

    /// The error when its deadline passes while it isn't on a connection.
    var expiry: ClientError {
        guard isOutcomeUnknown else {
            return lastError ?? .unavailable("no connection within \(timeout)")
        }
        // The server's last error leaves the outcome open as well, and gives a reason.
        if let lastError, case .server = lastError, lastError.isOutcomeUnknown { return lastError }
        return .timeout(timeout)
    }

    /// Whether it is worth sending it again after an answer of the server.
    func isWorthRepeating(after error: ServerError) -> Bool {
        guard error.isRetryable else { return false }
        switch error.known {
        // The server has postponed it, and has done nothing.
        case let code? where code.isRetryable && code.isDefinite: return true
        // The wait that the caller asked for is over.
        case .timeout where request.waitsOnServer: return false
        // A failed write is like a lost connection. Data that can't be read stays damaged: the
        // operator has to know at once.
        case .storageError where request.isReading: return false
        default: return request.isRepeatable
        }
    }
}

extension Request {
    /// Whether it needn't wait while a hold or a full disk keeps events of its instance back: it is
    /// carried out all the same, or ends that.
    var passesBy: Bool {
        switch known {
        case .cancel, .delete, .resume, .stop, .suspend: true
        default: isReading
        }
    }
}

extension ServerError {
    /// Whether somebody may have to act before the request is accepted.
    var isOfHold: Bool { known == .suspended || known == .storageFull }
}
