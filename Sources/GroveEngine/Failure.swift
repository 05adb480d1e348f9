/// A refusal of the engine: exactly one error of the protocol, with its data.
public enum Failure: Error, Sendable {
    /// `BAD_REQUEST`: what was asked can't be asked of this machine or instance.
    case badRequest(path: String, message: String)
    /// `BAD_REQUEST`: a version past the end was asked for; `actual` is the newest.
    case versionPastEnd(asked: Int64, actual: Int64)
    /// `BAD_REQUEST`: the state of a version was asked for that isn't held any more, or that was
    /// before the instance was imported; `first` is the lowest that can be, `actual` the newest.
    case versionNotHeld(asked: Int64, first: Int64, actual: Int64)
    /// `OVERLOADED`: too much waits for the commit under way.
    case overloaded
    /// `OVERLOADED`: what is wanted can be done once at a time, and is being done.
    case busy(String)
    /// `LIMIT`: a bound that waiting doesn't lift.
    case limit(String)
    /// `NO_SUCH_MACHINE`.
    case noSuchMachine(String)
    /// `DEDUP_MISMATCH`: the key was used with another event; `version` is what it made.
    case dedupMismatch(version: Int64)
    /// `VERSION_CONFLICT`: `nil` stands for an absent instance.
    case versionConflict(expected: String, actual: Int64?)
    /// `NO_SUCH_INSTANCE`.
    case noSuchInstance(InstanceName)
    /// `ALREADY_EXISTS`, with the instance's version.
    case alreadyExists(InstanceName, version: Int64)
    /// `INSTANCE_DONE`.
    case instanceDone(InstanceName, version: Int64)
    /// `SUSPENDED` or `SET_ASIDE`: what is held, and by whom.
    case held(HoldSubject, Hold.Kind)
    /// `BAD_EVENT`.
    case badEvent(path: String, message: String, expected: String?)
    /// `INTERNAL_EVENT`: the machine has this event, but only it may send it.
    case internalEvent(String)
    /// `EVENT_REJECTED`: state and event as JSON.
    case eventRejected(reason: String, state: [UInt8], event: [UInt8], accepts: [String])
    /// `EVAL_ERROR`.
    case evaluation(String)
    /// `EVAL_LIMIT`.
    case evaluationLimit(String)
    /// `STEP_LIMIT`.
    case stepLimit(Int)
    /// `STATE_TOO_LARGE`.
    case stateTooLarge(bytes: Int, max: Int)
    /// `CURSOR_TOO_OLD`, with the oldest cursor held.
    case cursorTooOld(first: Cursor)
    /// `CURSOR_FOREIGN`, with the oldest cursor held.
    case cursorForeign(first: Cursor, why: ForeignCursor = .otherLog)
    /// `NO_SUCH_SUBSCRIPTION`.
    case noSuchSubscription
    /// `NO_SUCH_EFFECT`: it isn't there, or not in a phase in which that could be done.
    case noSuchEffect(String)
    /// `TIMEOUT`: what was waited for hasn't come in time; the event itself was applied.
    case timeout(isRepeatable: Bool)
    /// What an item of an atomic batch failed with, which nothing was applied of.
    indirect case inBatch(index: Int, Failure)
    /// `STORAGE_FULL`: nothing was written.
    case storageFull
    /// `STORAGE_ERROR`: stored bytes of this instance don't match their checksum.
    case storageCorrupt(String)
}
