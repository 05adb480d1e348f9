/// The closed list of error codes, in order of precedence: if several apply, the first one is
/// answered (protocol.md, "Requests and replies"). Each has a page in `docs/reference/errors/`.
public enum ErrorCode: String, CaseIterable, Sendable {
    case lineTooLong = "LINE_TOO_LONG"
    case badJSON = "BAD_JSON"
    case badRequest = "BAD_REQUEST"
    case unknownOp = "UNKNOWN_OP"
    case unsupportedProto = "UNSUPPORTED_PROTO"
    case unauthenticated = "UNAUTHENTICATED"
    case forbidden = "FORBIDDEN"
    case draining = "DRAINING"
    case overloaded = "OVERLOADED"
    case rateLimited = "RATE_LIMITED"
    case limit = "LIMIT"
    case badDefinition = "BAD_DEFINITION"
    case noSuchMachine = "NO_SUCH_MACHINE"
    case dedupMismatch = "DEDUP_MISMATCH"
    case versionConflict = "VERSION_CONFLICT"
    case noSuchInstance = "NO_SUCH_INSTANCE"
    case noSuchEffect = "NO_SUCH_EFFECT"
    case alreadyExists = "ALREADY_EXISTS"
    case instanceDone = "INSTANCE_DONE"
    case suspended = "SUSPENDED"
    case setAside = "SET_ASIDE"
    case badEvent = "BAD_EVENT"
    case internalEvent = "INTERNAL_EVENT"
    case eventRejected = "EVENT_REJECTED"
    case evalError = "EVAL_ERROR"
    case evalLimit = "EVAL_LIMIT"
    case stepLimit = "STEP_LIMIT"
    case stateTooLarge = "STATE_TOO_LARGE"
    case timeout = "TIMEOUT"
    case cursorTooOld = "CURSOR_TOO_OLD"
    case cursorForeign = "CURSOR_FOREIGN"
    case noSuchSubscription = "NO_SUCH_SUBSCRIPTION"
    case storageFull = "STORAGE_FULL"
    case storageError = "STORAGE_ERROR"
    case notOwner = "NOT_OWNER"
    case unavailable = "UNAVAILABLE"
    case internalError = "INTERNAL"

    /// Whether the same request may succeed later without a change by the client. The flag in a
    /// server's reply takes precedence.
    public var isRetryable: Bool {
        switch self {
        case .draining, .overloaded, .rateLimited, .suspended, .timeout, .storageFull,
            .storageError, .notOwner, .unavailable:
            true
        case .lineTooLong, .badJSON, .badRequest, .unknownOp, .unsupportedProto,
            .unauthenticated, .forbidden, .limit, .badDefinition, .noSuchMachine, .dedupMismatch,
            .versionConflict, .noSuchInstance, .noSuchEffect, .alreadyExists, .instanceDone,
            .setAside, .badEvent, .internalEvent, .eventRejected, .evalError, .evalLimit,
            .stepLimit, .stateTooLarge, .cursorTooOld, .cursorForeign, .noSuchSubscription,
            .internalError:
            false
        }
    }

    /// Whether a request with this answer was certainly not carried out.
    public var isDefinite: Bool {
        switch self {
        case .timeout, .unavailable, .storageError: false
        default: true
        }
    }

    /// The meaning, in one line.
    public var meaning: String {
        switch self {
        case .lineTooLong: "the line has more bytes than the server accepts"
        case .badJSON: "the line isn't JSON of the strict form that the protocol requires"
        case .badRequest: "the line is JSON, but not a valid request"
        case .unknownOp: "there is no op of this name"
        case .unsupportedProto: "the server doesn't support this protocol version"
        case .unauthenticated: "the connection isn't authenticated"
        case .forbidden: "this client may not do that"
        case .draining: "the server is shutting down and accepts no more requests"
        case .overloaded: "too many requests wait already, or a shared bound is reached"
        case .rateLimited: "a quota is used up"
        case .limit: "a bound is reached, and waiting doesn't help"
        case .badDefinition: "the definition of the machine has problems"
        case .noSuchMachine: "the server hosts no machine of this name"
        case .dedupMismatch: "the dedup key was used with another event"
        case .versionConflict: "the instance doesn't have the version that the request expects"
        case .noSuchInstance: "there is no such instance"
        case .noSuchEffect: "there is no such effect, or the request doesn't fit its phase"
        case .alreadyExists: "an instance of this name exists already"
        case .instanceDone: "the instance is done and accepts no more events"
        case .suspended: "an operator has suspended the instance or its machine"
        case .setAside: "the instance or its machine is set aside: its steps ended the process"
        case .badEvent: "the event can't be decoded as an event of this machine"
        case .internalEvent: "only the machine itself sends this event"
        case .eventRejected: "the machine doesn't accept this event in its present state"
        case .evalError: "the step failed"
        case .evalLimit: "the step would exceed a bound of one step"
        case .stepLimit: "the event caused too many further events"
        case .stateTooLarge: "the state after the step would be too large"
        case .timeout: "the awaited effects or state didn't come in time"
        case .cursorTooOld: "records after this cursor are no longer held"
        case .cursorForeign: "the cursor doesn't belong to this server's log"
        case .noSuchSubscription: "the connection has no such subscription"
        case .storageFull: "the disk is full; nothing was written"
        case .storageError: "stored data can't be read or written"
        case .notOwner: "another server owns the instance"
        case .unavailable: "the server can't answer now; the outcome is unknown"
        case .internalError: "the server found an internal fault"
        }
    }
}
