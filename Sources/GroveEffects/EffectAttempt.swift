import GroveEngine
import OrderedJSON
import Transducers

/// One run of a handler that has no last report yet.
struct EffectAttempt {
    /// The runner's number of it: an abandoned run has a number that no attempt has any more.
    let number: UInt64
    let dispatch: EffectDispatch
    /// The time limit.
    let timeout: Duration
    /// The end of the time limit.
    let deadline: ContinuousClock.Instant
    /// The handler's task.
    var task: Task<Void, Never>?
    /// Whether the engine has canceled it: any error of the handler is then its cancellation.
    var isCancelled = false
    /// The number of results that it has emitted.
    var emitted = 0
    /// Emitters that wait for the commit of their result, by its number.
    var emitters: [Int: CheckedContinuation<Bool, Never>] = [:]
}

extension EffectReport.Outcome {
    /// A failed attempt. The reason is stored with the effect and shown to people; a long one is
    /// truncated.
    static func failure(_ reason: String, isPermanent: Bool = false) -> Self {
        let bytesMax = Limits.effectReasonBytesMax
        let kept =
            reason.utf8.count > bytesMax ? reason.prefixOfBytes(bytesMax - 3) + "..." : reason
        return .failed(reason: kept, isPermanent: isPermanent)
    }

    /// The outcome for a value that a handler has returned.
    static func success(_ value: JSONValue) -> Self {
        do {
            try check(value, as: "result")
            return .completed(value)
        } catch {
            return .failure(error.reason, isPermanent: true)
        }
    }

    /// Refuses a value that can't be stored; another attempt would return it again.
    ///
    /// - Throws: `PermanentFailure` for more than `Limits.outputBytesPerStepMax` bytes, and for
    ///   a value that can't be read back, for example because of its depth.
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
