/// The closed list of reasons for the end of a connection, as the log shows them.
public enum CloseReason: String, CaseIterable, Sendable {
    /// The client closed, and nothing was outstanding.
    case clientClosed = "client_closed"
    /// The connection broke: reset, or unacknowledged for too long.
    case clientGone = "client_gone"
    /// The client asked for a protocol version the server doesn't support.
    case unsupportedProto = "unsupported_proto"
    /// The client sent HTTP.
    case httpRequest = "http_request"
    /// A request over HTTP was refused before its end, so that nothing more can be read.
    case httpRefused = "http_refused"
    /// A connection with HTTP ended with its last answer, or as WebSocket ends.
    case httpClosed = "http_closed"
    /// A connection with HTTP had no request for a while.
    case idle
    /// The client began with a TLS hello.
    case tlsHello = "tls_hello"
    /// The client began with other bytes at a port that speaks TLS.
    case notTLS = "not_tls"
    /// The handshake of TLS failed or took too long, or a record was damaged.
    case tlsFailed = "tls_failed"
    /// One line exceeded the hard limit (limits.md, "Lines and connections").
    case lineFlood = "line_flood"
    /// A line was started and not ended in time.
    case lineTimeout = "line_timeout"
    /// Two heartbeats had no answer.
    case heartbeatTimeout = "heartbeat_timeout"
    /// The client doesn't read.
    case slowConsumer = "slow_consumer"
    /// The server has reached its limit of connections, or has no descriptor left.
    case connectionLimit = "connection_limit"
    /// The client didn't say who it is in time, or was refused too often.
    case unauthenticated
    /// The client's token or identity, or its principal, was revoked.
    case revoked
    /// The client's token has expired.
    case expired
    /// The server is shutting down.
    case serverShutdown = "server_shutdown"
}
