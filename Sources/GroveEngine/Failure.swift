/// A refusal of the engine: exactly one error of the protocol, with its data.
public enum Failure: Error, Sendable {
    /// `BAD_REQUEST`: the request doesn't fit this machine or instance.
    case badRequest(path: String, message: String)
    /// `BAD_REQUEST`: a version past the end was asked for; `actual` is the newest.
    case versionPastEnd(asked: Int64, actual: Int64)
    /// `BAD_REQUEST`: the state of a version was asked for that isn't held any more, or that was
    /// before the instance was imported; `first` is the lowest that can be, `actual` the newest.
    case versionNotHeld(asked: Int64, first: Int64, actual: Int64)
    /// `UNAUTHENTICATED`: the caller's token or principal was revoked since the request was read.
    case unauthenticated
    /// `FORBIDDEN`: the verb that the caller lacks.
    case forbidden(verb: String)
    /// `ALREADY_EXISTS`: the name of a principal.
    case principalExists(String)
    /// `BAD_REQUEST`: every problem of a document of accounts, with its place.
    case badAccounts([DefinitionProblem])
    /// `OVERLOADED`: too many requests wait for the present commit.
    case overloaded
    /// `OVERLOADED`: only one such request can run at a time, and one does.
    case busy(String)
    /// `LIMIT`: a bound that waiting doesn't lift.
    case limit(String)
    case noSuchMachine(String)
    /// `BAD_DEFINITION`: every problem of the definition, with its place.
    case badDefinition([DefinitionProblem])
    /// `DEDUP_MISMATCH`: the key was used with another event, which made `version`.
    case dedupMismatch(version: Int64)
    /// `VERSION_CONFLICT`: `nil` means an absent instance.
    case versionConflict(expected: String, actual: Int64?)
    case noSuchInstance(InstanceName)
    /// `ALREADY_EXISTS`, with the instance's version.
    case alreadyExists(InstanceName, version: Int64)
    case instanceDone(InstanceName, version: Int64)
    /// `SUSPENDED` or `SET_ASIDE`: the held subject and its hold.
    case held(HoldSubject, Hold.Kind)
    case badEvent(path: String, message: String, expected: String?)
    /// `INTERNAL_EVENT`: the machine has this event, but only it may send it.
    case internalEvent(String)
    /// `EVENT_REJECTED`: state and event as JSON.
    case eventRejected(reason: String, state: [UInt8], event: [UInt8], accepts: [String])
    case evaluation(String)
    case evaluationLimit(String)
    case stepLimit(String, max: Int?)
    case stateTooLarge(bytes: Int, max: Int)
    /// `CURSOR_TOO_OLD`, with the oldest cursor held.
    case cursorTooOld(first: Cursor)
    /// `CURSOR_FOREIGN`, with the oldest cursor held.
    case cursorForeign(first: Cursor, why: ForeignCursor = .otherLog)
    case noSuchSubscription
    /// `NO_SUCH_EFFECT`: it isn't there, or not in a phase in which that could be done.
    case noSuchEffect(String)
    /// `TIMEOUT`: the wait ended without its condition.
    case timeout(isRepeatable: Bool)
    /// `TIMEOUT` of a `send`: its event was applied, and made this version, but its effects didn't
    /// end in time.
    case unsettled(version: Int64, cursor: Cursor, isRepeatable: Bool)
    /// The failure of an item of an atomic batch; nothing was applied.
    indirect case inBatch(index: Int, Failure)
    /// `STORAGE_FULL`: nothing was written.
    case storageFull
    /// `STORAGE_ERROR`: stored bytes of this instance don't match their checksum.
    case storageCorrupt(String)
}
