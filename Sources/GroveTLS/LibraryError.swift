import COpenSSL

/// The last error that the library noted for this thread.
struct LibraryError {
    private let code: UInt

    /// Takes the first error of the list, which is the cause of the others, and clears the list.
    static func take() -> LibraryError {
        let error = LibraryError(code: ERR_get_error())
        ERR_clear_error()
        return error
    }

    /// Clears the list, which the library takes for the reason of its next failure. It is nearly
    /// always empty, and clearing an empty one takes as long as a part of an encryption.
    static func forget() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// The library's number for the reason, within its part for TLS; `nil` for other parts.
    var reason: Int32? {
        ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : nil
    }

    /// The number of the alert by which the peer sent it; `nil` for an error of this side
    /// (`SSL_AD_REASON_OFFSET`).
    var alert: UInt8? {
        reason.flatMap { UInt8(exactly: $0 - Int32(SSL_AD_REASON_OFFSET)) }
    }

    /// The reason in the library's words.
    var text: String {
        guard code != 0 else { return "an error without a reason" }
        return ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
