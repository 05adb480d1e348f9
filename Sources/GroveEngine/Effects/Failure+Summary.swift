extension Failure {
    var summary: String {
        switch self {
        case .badRequest(_, let message): message
        case .noSuchMachine(let name): "there is no machine \(name)"
        case .noSuchInstance(let name): "there is no instance \(name)"
        case .alreadyExists(let name, _): "\(name) exists already"
        case .instanceDone(let name, _): "\(name) is done"
        case .held(let subject, .suspended): "\(subject.text) is suspended"
        case .held(let subject, .setAside): "\(subject.text) is set aside"
        case .badEvent(let path, let message, _): "the event doesn't fit: \(message) at \(path)"
        case .internalEvent(let name): "only the machine sends the event \(name)"
        case .eventRejected(let reason, _, _, _): "the event was rejected: \(reason)"
        case .evaluation(let message), .evaluationLimit(let message), .limit(let message):
            message
        case .stepLimit(let message, _): message
        case .stateTooLarge(let bytes, let max): "the state would have \(bytes) of \(max) bytes"
        case .storageCorrupt(let place): "stored bytes are damaged: \(place)"
        case .noSuchEffect(let message): message
        case .inBatch(_, let failure): failure.summary
        case .busy(let message): message
        case .principalExists(let name): "there is a principal \(name) already"
        case .badAccounts(let problems), .badDefinition(let problems):
            problems.first.map { "\($0.path): \($0.message)" } ?? "it has problems"
        case .unauthenticated, .forbidden, .overloaded, .timeout, .unsettled, .dedupMismatch,
            .versionConflict,
            .versionPastEnd,
            .versionNotHeld,
            .cursorTooOld,
            .cursorForeign, .noSuchSubscription, .storageFull:
            "it was refused"
        }
    }
}
