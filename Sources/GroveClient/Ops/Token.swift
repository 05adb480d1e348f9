import GroveWire
import OrderedJSON

extension Client {
    /// Makes a token. It isn't made twice, so a call without an answer isn't repeated: a token that
    /// nobody has seen is in the list of accounts, and can be revoked.
    ///
    /// - Parameters:
    ///   - principal: Whose it is.
    ///   - label: What it is for, in words.
    ///   - expires: When it ends.
    ///   - grants: Grants for the principal, which is created if it is missing.
    ///   - force: See ``AccountsMode/force``.
    public nonisolated func createToken(
        for principal: String, label: String? = nil, expires: TokenExpiry = .standard,
        grants: [String] = [], force: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> NewToken {
        let request = Request(.token).with("action", "create").with("principal", principal)
            .with("label", label).with("expires", expires.value)
            .with("grants", grants.isEmpty ? nil : .array(grants.map { .string($0) }))
            .with("force", force ? .bool(true) : nil)
        return try NewToken(try await self.request(request, timeout: timeout))
    }

    /// Makes a token that replaces another one, which ends after the overlap.
    ///
    /// - Parameters:
    ///   - id: The public part of the token to replace.
    ///   - overlap: How long both hold, in whole milliseconds; `nil` for a day.
    ///   - expires: When the new one ends.
    public nonisolated func rotateToken(
        _ id: String, overlap: Duration? = nil, expires: TokenExpiry = .standard,
        timeout: Duration? = nil
    ) async throws(ClientError) -> NewToken {
        let request = Request(.token).with("action", "rotate").with("token_id", id)
            .with("overlap_ms", overlap.map { Int64($0 / .milliseconds(1)) })
            .with("expires", expires.value)
        return try NewToken(try await self.request(request, timeout: timeout))
    }

    /// Revokes a token. Once the server has answered, none of its connections gets or does anything
    /// more. A missing token is no error.
    @discardableResult
    public nonisolated func revokeToken(
        _ id: String, force: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> AccountsReply {
        var request = Request(.token).with("action", "revoke").with("token_id", id)
            .with("force", force ? .bool(true) : nil)
        request.isRepeatable = true
        return try AccountsReply(try await self.request(request, timeout: timeout))
    }

    /// Revokes all tokens of all principals, as after a backup was restored: its data file has
    /// tokens that were revoked since.
    @discardableResult
    public nonisolated func revokeAllTokens(
        force: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> AccountsReply {
        var request = Request(.token).with("action", "revoke").with("all", true)
            .with("force", force ? .bool(true) : nil)
        request.isRepeatable = true
        return try AccountsReply(try await self.request(request, timeout: timeout))
    }
}
