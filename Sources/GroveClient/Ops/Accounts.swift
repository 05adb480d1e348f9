import GroveWire
public import OrderedJSON

extension Client {
    /// One page of principals with their identities, grants, quotas and tokens, by name.
    ///
    /// - Parameters:
    ///   - name: ``Page/next`` of the page before; `nil` begins at the start.
    ///   - limit: The largest number of principals, from 1 to 1,000; `nil` leaves it to the server.
    public nonisolated func accounts(
        after name: String? = nil, limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Page<PrincipalSummary, String> {
        var request = Request(.accounts).with("action", "list").with("after", name)
            .with("limit", limit)
        request.isRepeatable = true
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.string("next"))
    }

    /// All principals, fetched `pageSize` at a time.
    public nonisolated func allAccounts(
        pageSize: Int = 1000
    ) -> PagedSequence<PrincipalSummary, String> {
        PagedSequence(start: nil) { position throws(ClientError) in
            try await self.accounts(after: position, limit: pageSize)
        }
    }

    /// Gives to a principal and takes from it; creates it if it is missing. A repeat changes
    /// nothing.
    ///
    /// - Throws: ``ClientError``, such as `ALREADY_EXISTS` for a principal that had to be new,
    ///   `LIMIT`, or `BAD_REQUEST` for a grant that can't be read.
    @discardableResult
    public nonisolated func changeAccount(
        _ change: PrincipalChange, mode: AccountsMode = AccountsMode(), timeout: Duration? = nil
    ) async throws(ClientError) -> AccountsReply {
        var request = mode.added(to: change.request)
        request.isRepeatable = !change.isNew
        return try AccountsReply(try await self.request(request, timeout: timeout))
    }

    /// Revokes a principal with all its tokens. Once the server has answered, none of its
    /// connections gets or does anything more. A missing principal is no error.
    @discardableResult
    public nonisolated func revokeAccount(
        _ principal: String, mode: AccountsMode = AccountsMode(), timeout: Duration? = nil
    ) async throws(ClientError) -> AccountsReply {
        var request = mode.added(
            to: Request(.accounts).with("action", "revoke").with("principal", principal))
        request.isRepeatable = true
        return try AccountsReply(try await self.request(request, timeout: timeout))
    }

    /// Makes all accounts those of a document, as `grove accounts export` writes it: all or
    /// nothing. Principals that aren't in the document are revoked.
    ///
    /// - Throws: ``ClientError``, such as `BAD_REQUEST` with all problems in its data.
    @discardableResult
    public nonisolated func applyAccounts(
        _ document: JSONValue, mode: AccountsMode = AccountsMode(), timeout: Duration? = nil
    ) async throws(ClientError) -> AccountsReply {
        let request = mode.added(
            to: Request(.accounts).with("action", "apply").with("document", document))
        return try AccountsReply(try await self.request(request, timeout: timeout))
    }
}
