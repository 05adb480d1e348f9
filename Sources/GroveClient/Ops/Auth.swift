import GroveWire

extension Client {
    /// Proves who the client is, with another token of the same principal: so a token is rotated
    /// without a new connection. From then on, the client sends it with each new connection instead
    /// of ``ClientOptions/token``.
    ///
    /// A client that isn't connected connects with the new token.
    ///
    /// - Throws: ``ClientError``: ``ClientError/isTokenRefused`` for a token that the server
    ///   doesn't accept, `BAD_REQUEST` for one of another principal,
    ///   ``ClientError/tokenNeedsTLS(_:)`` where it would be sent in plaintext. The connection
    ///   keeps the former token then.
    @discardableResult
    public nonisolated func auth(
        _ token: ClientToken, timeout: Duration? = nil
    ) async throws(ClientError) -> AuthReply {
        try await stage(token)
        var request = Request(.auth).with("token", token.text)
        request.isRepeatable = true
        let reply = try AuthReply(try await self.request(request, timeout: timeout))
        await adopt(token)
        return reply
    }

    /// Checks the way of a token; without a connection the next one begins with it.
    private func stage(_ token: ClientToken) throws(ClientError) {
        guard phase != .open else {
            if !isTokenAllowed { throw TokenGuard.refusal(options.server) }
            return
        }
        adopt(token)
    }
}

/// Who the client is, by the answer to ``Client/auth(_:timeout:)``.
public struct AuthReply: Sendable {
    /// The principal's name.
    public let principal: String
    /// What it may do.
    public let grants: [String]
    /// When the token ends, `2027-02-19T00:00:00.000Z`; `nil` for never.
    public let expires: String?
    /// Everything the server sent.
    public let reply: Reply

    init(_ reply: Reply) throws(ClientError) {
        principal = try reply.fields.required("principal", Fields.string)
        grants = reply.fields.strings("grants")
        expires = reply.string("expires")
        self.reply = reply
    }
}
