import GroveEngine
import OrderedJSON
import Transducers

/// One run of a handler that has not been reported as over.
struct EffectAttempt {
    /// Counted by the runner: what a run that was given up says later has a number that isn't
    /// there any more.
    let number: UInt64
    /// What the engine handed out.
    let dispatch: EffectDispatch
    /// How long it may take.
    let timeout: Duration
    /// When that is over.
    let deadline: ContinuousClock.Instant
    /// The handler's work.
    var task: Task<Void, Never>?
    /// Whether the engine doesn't want it any more: whatever the handler throws then counts as
    /// the end that was asked for.
    var isCancelled = false
    /// Results that it has given in this try.
    var emitted = 0
    /// Emitters that wait for the commit of their result, by its number.
    var emitters: [Int: CheckedContinuation<Bool, Never>] = [:]
}

extension EffectReport.Outcome {
    /// A failed try. The reason is stored with the effect and shown to people; a longer one is cut.
    static func failure(_ reason: String, isPermanent: Bool = false) -> Self {
        let bytesMax = Limits.effectReasonBytesMax
        let kept =
            reason.utf8.count > bytesMax ? reason.prefixOfBytes(bytesMax - 3) + "..." : reason
        return .failed(reason: kept, isPermanent: isPermanent)
    }

    /// What becomes of a value that a handler has returned.
    static func success(_ value: JSONValue) -> Self {
        do {
            try check(value, as: "result")
            return .completed(value)
        } catch {
            return .failure(error.reason, isPermanent: true)
        }
    }

    /// Refuses what can't be kept: it would be as large the next time.
    ///
    /// - Throws: `PermanentFailure` for more than `Limits.outputBytesPerStepMax` bytes, and for
    ///   a value that no reader would take back, say for its depth.
    static func check(_ value: JSONValue, as noun: String) throws(PermanentFailure) {
        let bytes = value.serialized()
        guard bytes.count <= Limits.outputBytesPerStepMax else {
            throw PermanentFailure(
                "the handler's \(noun) has \(bytes.count) bytes as JSON; "
                    + "\(Limits.outputBytesPerStepMax) are allowed")
        }
        do {
            _ = try JSONDocument(parsing: bytes)
        } catch {
            throw PermanentFailure("the handler's \(noun) can't be kept: \(error)")
        }
    }
}
