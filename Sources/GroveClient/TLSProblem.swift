import GroveTLS

/// The reason why there is no secure connection to a server (``ClientError/tlsFailed(_:)``).
public struct TLSProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// No authority that counts has signed the server's certificate.
        case unknownAuthority = "unknown_authority"
        /// The server's certificate is for other names than the host of the address.
        case wrongName = "wrong_name"
        /// The server's certificate has expired, or isn't valid yet.
        case expired
        /// The server has another public key than the pinned one.
        case wrongKey = "wrong_key"
        /// The port isn't one where the server speaks TLS.
        case notTLS = "not_tls"
        /// The server requires a certificate of the client, and the options have none.
        case certificateRequired = "certificate_required"
        /// The server refuses the client's certificate.
        case certificateRefused = "certificate_refused"
        /// The server speaks TLS, but not Grove's protocol (ALPN).
        case wrongProtocol = "wrong_protocol"
        /// The server speaks TLS in no way that the client speaks: in versions before 1.2, or with
        /// weak ciphers.
        case nothingInCommon = "nothing_in_common"
        /// The client's own options are wrong, or a file of theirs.
        case configuration
        /// Another reason, which the message has.
        case other
    }

    /// The kind of reason.
    public let reason: Reason
    /// What failed, in one line.
    public let message: String

    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// What to do about it, in terms of ``TLSOptions``; `nil` where the message says that.
    public var advice: String? {
        switch reason {
        case .unknownAuthority: "name the file of its authority (ca) or its public key (pin)"
        case .wrongName:
            "use a name that it has in the address, or give the server a certificate for this one"
        case .expired: "renew it on the server, and compare the clocks of both machines"
        case .wrongKey: "if it was replaced by its operator, pin the new one"
        case .notTLS:
            "use the port where it does; without encryption, the address is HOST:PORT"
        case .certificateRequired: "name the files of one (certificate, key)"
        case .certificateRefused:
            "it needs one of an authority that the server knows, for clients, and not expired"
        case .wrongProtocol: "is it the port of a Grove server?"
        case .nothingInCommon: "the server needs TLS 1.2 or 1.3 with modern ciphers"
        case .configuration, .other: nil
        }
    }

    /// What failed, and what to do.
    public var description: String { message + (advice.map { ": \($0)" } ?? "") }
}

extension TLSProblem {
    /// The problem of a handshake; `nil` if the connection itself broke, or the server has no room,
    /// so that another attempt may succeed.
    ///
    /// - Parameters:
    ///   - failure: The failure.
    ///   - address: The server's address.
    ///   - options: The options of the connection.
    package init?(_ failure: TLSFailure, at address: ServerAddress, _ options: TLSOptions) {
        func problem(_ reason: Reason, _ text: String) -> TLSProblem {
            TLSProblem(reason, "\(address): \(text)")
        }
        let isPinned = options.pin != nil && options.ca == nil
        switch failure.kind {
        case .cutOff: return nil
        case .notTLS: self = problem(.notTLS, "the server doesn't speak TLS at this port")
        case .nothingInCommon: self = problem(.nothingInCommon, failure.message)
        case .certificateStranger:
            self = problem(
                .unknownAuthority,
                "no authority that is known here has signed the server's certificate "
                    + "(\(failure))")
        case .certificateName:
            self = problem(.wrongName, "the server's certificate is for other names (\(failure))")
        case .certificateExpired: self = problem(.expired, failure.description)
        case .certificateRefused where isPinned: self = .wrongKey(at: address)
        // `internal_error`: a server that has as many connections as it may says nothing else.
        case .peerAlert where failure.alert == 80: return nil
        case .peerAlert:
            let (reason, text) = Self.meaning(of: failure, isBare: options.certificate == nil)
            self = problem(reason, text)
        case .noProtocol, .certificateRefused, .certificateMissing, .tooMuch, .invalid:
            self = problem(.other, "the handshake failed: \(failure)")
        }
    }

    /// The problem of a server with another key than the pinned one.
    package static func wrongKey(at address: ServerAddress) -> TLSProblem {
        TLSProblem(.wrongKey, "\(address): the server's public key isn't the pinned one")
    }

    /// The reason of a server that ended the handshake with an alert (RFC 8446, section 6).
    ///
    /// - Parameters:
    ///   - failure: The failure, with the alert.
    ///   - isBare: Whether the client has no certificate.
    private static func meaning(of failure: TLSFailure, isBare: Bool) -> (Reason, String) {
        switch failure.alert {
        // `certificate_required`; TLS 1.2 has only `handshake_failure` for it.
        case 116?: (.certificateRequired, "the server requires a certificate of the client")
        case 40? where isBare:
            (
                .certificateRequired,
                "the server refused the handshake; it may require a certificate of the client"
            )
        // `bad_certificate` to `certificate_unknown`, and `unknown_ca`.
        case 42?, 43?, 44?, 45?, 46?, 48?:
            (
                .certificateRefused,
                "the server refuses this client's certificate (\(failure.message))"
            )
        // `protocol_version` and `insufficient_security`.
        case 70?, 71?: (.nothingInCommon, failure.message)
        // `no_application_protocol`.
        case 120?: (.wrongProtocol, "the server speaks TLS, but not grove/1")
        default: (.other, "the server refuses the connection (\(failure.message))")
        }
    }
}
