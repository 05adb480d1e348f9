import GroveWire

/// Why a call of ``Client`` or a subscription failed.
public enum ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server answered with an error; the request changed nothing, unless its code is
    /// `TIMEOUT`, `UNAVAILABLE` or `STORAGE_ERROR`: see ``isOutcomeUnknown``.
    case server(ServerError)
    /// There was no connection and the request was not sent: it can be repeated safely. The text
    /// names the attempts.
    case unavailable(String)
    /// There is no secure connection to a server at `tls:HOST:PORT`, and nothing was sent. A repeat
    /// would get the same, until somebody changes a certificate or the options.
    case tlsFailed(TLSProblem)
    /// The options have a token, and the server's address has neither TLS nor is it this machine.
    /// Nothing was sent.
    case tokenNeedsTLS(String)
    /// The connection broke after the request was sent, at least in part: the outcome is unknown.
    /// A `send` with a dedup key can be repeated with the same key. The client itself repeats
    /// requests that can be repeated, unless ``RetryPolicy/isOn`` is off.
    case connectionLost(String)
    /// The request was sent and no answer came in time: the outcome is unknown. A `send` with a
    /// dedup key can be repeated with the same key.
    case timeout(Duration)
    /// Like ``timeout(_:)``, after the server has refused a line without saying which, because it
    /// couldn't read that line's id. It may have been this request: see ``Request/set(_:text:)``.
    case unread(Duration, ServerError)
    /// The other side doesn't follow this protocol, version 1.
    case protocolViolation(String)
    /// The request doesn't fit into a line that the server accepts; it was not sent.
    case invalidRequest(String)
    /// Retention has removed records before this subscription could return them. The next element
    /// is the first one after the gap.
    case gap(SubscriptionGap)
    /// Too many calls wait for their answers (``ClientOptions/callsMax``); this one was not sent.
    case queueFull(String)
    /// The server sent a value that isn't of the requested type. The next element of a subscription
    /// is the one after it.
    case undecodable(String)
    /// The task was cancelled while it waited; if it had sent a request, the outcome is unknown.
    case cancelled
    /// The client was closed.
    case closed

    /// Whether the server may have carried out the request, although no reply says so.
    public var isOutcomeUnknown: Bool {
        switch self {
        case .connectionLost, .timeout, .unread, .cancelled: true
        case .server(let error): !error.isDefinite
        case .unavailable, .tlsFailed, .tokenNeedsTLS, .protocolViolation, .invalidRequest, .gap,
            .queueFull, .undecodable, .closed:
            false
        }
    }

    /// Whether trying again later can help: the server was away, too busy, or the outcome is
    /// unknown, in which case only a repeat with the same dedup key is safe.
    public var isRetryable: Bool {
        switch self {
        case .server(let error): error.isRetryable
        case .unavailable, .connectionLost, .timeout, .unread, .queueFull: true
        case .tlsFailed, .tokenNeedsTLS, .protocolViolation, .invalidRequest, .gap, .undecodable,
            .cancelled, .closed:
            false
        }
    }

    /// A word in the form of the server's codes; those of the client itself are `UNREACHABLE`,
    /// `TLS_FAILED`, `TOKEN_NEEDS_TLS`, `CONNECTION_LOST`, `NO_REPLY`, `PROTOCOL_VIOLATION`,
    /// `INVALID_REQUEST`, `GAP`, `QUEUE_FULL`, `UNDECODABLE`, `CANCELLED` and `CLOSED`.
    public var code: String {
        switch self {
        case .server(let error): error.code
        case .unavailable: "UNREACHABLE"
        case .tlsFailed: "TLS_FAILED"
        case .tokenNeedsTLS: "TOKEN_NEEDS_TLS"
        case .connectionLost: "CONNECTION_LOST"
        case .timeout, .unread: "NO_REPLY"
        case .protocolViolation: "PROTOCOL_VIOLATION"
        case .invalidRequest: "INVALID_REQUEST"
        case .gap: "GAP"
        case .queueFull: "QUEUE_FULL"
        case .undecodable: "UNDECODABLE"
        case .cancelled: "CANCELLED"
        case .closed: "CLOSED"
        }
    }

    /// Whether the server doesn't know who the client is, and has to: the token is wrong, has ended
    /// or was revoked, or there is none. The client doesn't connect again by itself, because the
    /// answer would be the same; ``Client/auth(_:timeout:)`` gives it another token.
    public var isTokenRefused: Bool { known == .unauthenticated }

    /// The code of the server's answer, if it is one that this version of the client knows.
    package var known: ErrorCode? {
        if case .server(let error) = self { error.known } else { nil }
    }

    /// A sentence for people, without the code.
    public var message: String {
        switch self {
        case .server(let error): error.message
        case .unavailable(let reason), .tokenNeedsTLS(let reason), .connectionLost(let reason),
            .protocolViolation(let reason), .invalidRequest(let reason),
            .queueFull(let reason), .undecodable(let reason):
            reason
        case .tlsFailed(let problem): problem.description
        case .timeout(let duration): "no reply within \(duration)"
        case .unread(let duration, let error):
            "no reply within \(duration); the server couldn't read a line (\(error))"
        case .gap(let gap): "records were removed before they could be sent: \(gap.reason)"
        case .cancelled: "the task was cancelled"
        case .closed: "the client was closed"
        }
    }

    /// The code and the sentence.
    public var description: String { "\(code): \(message)" }
}
