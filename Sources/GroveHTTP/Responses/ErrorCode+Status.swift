import GroveWire

extension ErrorCode {
    /// The meaning, in the words of HTTP.
    var title: String {
        switch self {
        case .lineTooLong: "the request has more bytes than the server accepts"
        case .badJSON: "the body isn't JSON of the strict form that the protocol requires"
        case .badRequest: "the request isn't valid"
        case .unauthenticated: "the request doesn't say who asks"
        default: meaning
        }
    }

    /// The status of an answer with this code (docs/reference/http.md, "Errors").
    package var status: Int {
        switch self {
        case .badJSON, .badRequest, .unsupportedProto, .cursorForeign: 400
        case .unauthenticated: 401
        case .forbidden: 403
        case .noSuchMachine, .noSuchInstance, .noSuchEffect, .noSuchSubscription, .unknownOp: 404
        case .alreadyExists, .instanceDone, .setAside, .eventRejected, .versionConflict: 409
        case .cursorTooOld: 410
        case .lineTooLong: 413
        case .notOwner: 421
        // The machine's or the request's doing, so nobody is woken by it.
        case .badEvent, .internalEvent, .badDefinition, .dedupMismatch, .evalError, .evalLimit,
            .stepLimit,
            .stateTooLarge, .limit:
            422
        case .rateLimited: 429
        case .internalError, .storageError: 500
        case .draining, .overloaded, .unavailable, .suspended: 503
        case .timeout: 504
        case .storageFull: 507
        }
    }
}
