extension ErrorCode {
    /// JSON-RPC's number for a line that is no JSON.
    public static let parseErrorNumber: Int64 = -32_700

    /// JSON-RPC's number for a line that is JSON, but no request.
    public static let invalidRequestNumber: Int64 = -32_600

    /// The code's number in the shape of JSON-RPC (JSON-RPC 2.0, section 5.1, and
    /// docs/reference/json-rpc.md). It is part of the contract: a new code gets the next free
    /// number, and none changes.
    public var number: Int64 {
        switch self {
        case .badJSON: Self.parseErrorNumber
        case .badRequest: -32_602
        case .unknownOp: -32_601
        case .internalError: -32_603
        case .lineTooLong: -32_001
        case .unsupportedProto: -32_002
        case .unauthenticated: -32_003
        case .forbidden: -32_004
        case .draining: -32_005
        case .overloaded: -32_006
        case .rateLimited: -32_007
        case .limit: -32_008
        case .noSuchMachine: -32_009
        case .dedupMismatch: -32_010
        case .versionConflict: -32_011
        case .noSuchInstance: -32_012
        case .noSuchEffect: -32_013
        case .alreadyExists: -32_014
        case .instanceDone: -32_015
        case .badEvent: -32_016
        case .eventRejected: -32_017
        case .evalError: -32_018
        case .evalLimit: -32_019
        case .stepLimit: -32_020
        case .stateTooLarge: -32_021
        case .timeout: -32_022
        case .cursorTooOld: -32_023
        case .cursorForeign: -32_024
        case .noSuchSubscription: -32_025
        case .storageFull: -32_026
        case .storageError: -32_027
        case .notOwner: -32_028
        case .unavailable: -32_029
        case .internalEvent: -32_030
        case .suspended: -32_031
        case .setAside: -32_032
        case .badDefinition: -32_033
        }
    }
}
