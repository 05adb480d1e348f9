import Testing

@testable import GroveWire

@Suite("ErrorCode")
struct ErrorCodeTests {
    @Test func `the list is the protocol's, in order of precedence`() {
        #expect(
            ErrorCode.allCases.map(\.rawValue).joined(separator: " ") == """
                LINE_TOO_LONG BAD_JSON BAD_REQUEST UNKNOWN_OP UNSUPPORTED_PROTO UNAUTHENTICATED \
                FORBIDDEN DRAINING OVERLOADED RATE_LIMITED LIMIT BAD_DEFINITION NO_SUCH_MACHINE \
                DEDUP_MISMATCH \
                VERSION_CONFLICT NO_SUCH_INSTANCE NO_SUCH_EFFECT ALREADY_EXISTS INSTANCE_DONE \
                SUSPENDED SET_ASIDE \
                BAD_EVENT INTERNAL_EVENT EVENT_REJECTED EVAL_ERROR EVAL_LIMIT STEP_LIMIT \
                STATE_TOO_LARGE TIMEOUT CURSOR_TOO_OLD CURSOR_FOREIGN NO_SUCH_SUBSCRIPTION \
                STORAGE_FULL STORAGE_ERROR NOT_OWNER UNAVAILABLE INTERNAL
                """)
    }

    @Test func `exactly the temporary codes allow a retry`() {
        #expect(
            ErrorCode.allCases.filter(\.isRetryable) == [
                .draining, .overloaded, .rateLimited, .suspended, .timeout, .storageFull,
                .storageError,
                .notOwner, .unavailable,
            ])
    }

    @Test func `three codes leave the outcome unknown`() {
        #expect(
            ErrorCode.allCases.filter { !$0.isDefinite } == [.timeout, .storageError, .unavailable])
        #expect(ErrorCode.allCases.allSatisfy { $0.isDefinite || $0.isRetryable })
    }

    @Test func `every code has a unique meaning in one line`() {
        let meanings = ErrorCode.allCases.map(\.meaning)
        #expect(Set(meanings).count == meanings.count)
        #expect(meanings.allSatisfy { !$0.isEmpty && !$0.contains("\n") && !$0.hasSuffix(".") })
    }
}
