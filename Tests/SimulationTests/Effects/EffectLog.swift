import GroveEngine

/// The requests of one simulation to the engine, and the answers.
struct EffectLog {
    /// A request that waits for its answer.
    enum Question {
        case send(serial: Int)
        case cancel
        /// `isExpected`: whether the token must be accepted; `nil` if that can't be known.
        case complete(token: String, isExpected: Bool?)
        case other
    }

    /// Requests without an answer so far.
    private(set) var open: [UInt32: Question] = [:]
    /// Acknowledged events by serial, and those that were refused every time.
    private(set) var acked: Set<Int> = []
    private(set) var refused: Set<Int> = []
    /// Events that may or may not have been applied.
    private(set) var unknown: Set<Int> = []
    /// The cancellations of clients, by instance.
    private(set) var cancels: [String: [Operation.CancelChoice]] = [:]
    /// The reported cancellations, with their journal step.
    private(set) var cancelled: [(run: Int64, sequence: JournalPosition)] = []
    /// The accepted tokens.
    private(set) var taken: Set<String> = []
    /// Effects that a client has retried.
    private(set) var retried: Set<EffectRef> = []
    /// The reports that the engine applied.
    private(set) var applied: [SimulatedHandlers.Told] = []
    /// Whether a handler or the machine was missing for some time.
    var wasDowngraded = false
    /// The time and the step after which nothing fails and time stops at every due effect. The
    /// clock may have been further ahead before.
    var calm: (time: Timestamp, head: JournalPosition)?

    mutating func note(_ question: Question, token: UInt32) {
        open[token] = question
        if case .send(let serial) = question { unknown.insert(serial) }
    }

    mutating func noteCancel(_ name: InstanceName, _ choice: Operation.CancelChoice) {
        cancels[name.text, default: []].append(choice)
    }

    mutating func noteRetry(_ ref: EffectRef) { retried.insert(ref) }

    mutating func noteApplied(_ told: SimulatedHandlers.Told) { applied.append(told) }

    /// The process is gone: open requests get no answer.
    mutating func crash() { open = [:] }

    mutating func answer(_ token: UInt32, _ reply: Reply) throws(Complaint) {
        guard let question = open.removeValue(forKey: token) else {
            throw Complaint("E2", "a second answer: \(reply)")
        }
        switch (question, reply) {
        case (.send(let serial), .sent),
            // The wait for its effects timed out; the event itself was applied.
            (.send(let serial), .failure(.unsettled)):
            acked.insert(serial)
            unknown.remove(serial)
        case (.send(let serial), .failure):
            refused.insert(serial)
            unknown.remove(serial)
        case (.cancel, .cancelled(let runs, let cursor)):
            cancelled += runs.map { ($0, cursor.sequence) }
        case (.complete(let token, let isExpected), _):
            try answer(token, isExpected, reply)
        default: break
        }
    }

    private mutating func answer(
        _ token: String, _ isExpected: Bool?, _ reply: Reply
    ) throws(Complaint) {
        switch reply {
        case .done:
            guard isExpected != false else {
                throw Complaint("E6", "a token that waits for nothing was taken: \(token)")
            }
            guard taken.insert(token).inserted else {
                throw Complaint("E6", "a token was taken twice: \(token)")
            }
        case .failure(.noSuchEffect), .failure(.noSuchInstance):
            guard isExpected != true else {
                throw Complaint("E6", "a good token was refused: \(token)")
            }
        default: break
        }
    }
}
