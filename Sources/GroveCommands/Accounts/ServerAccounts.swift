import GroveClient
import OrderedJSON

/// The accounts of a running server.
struct ServerAccounts: AccountsPlace {
    let client: Client

    func accounts() async throws -> [PrincipalSummary] {
        var all: [PrincipalSummary] = []
        for try await account in client.allAccounts() { all.append(account) }
        return all
    }

    func change(_ change: PrincipalChange, _ mode: AccountsMode) async throws -> AccountsReply {
        try await client.changeAccount(change, mode: mode)
    }

    func revoke(_ principal: String, _ mode: AccountsMode) async throws -> AccountsReply {
        try await client.revokeAccount(principal, mode: mode)
    }

    func apply(_ document: [UInt8], _ mode: AccountsMode) async throws -> AccountsReply {
        try await client.applyAccounts(try JSONValue(parsing: document), mode: mode)
    }

    func createToken(_ order: TokenOrder) async throws -> NewToken {
        try await client.createToken(
            for: order.principal, label: order.label, expires: order.expires,
            grants: order.grants, force: order.force)
    }

    func rotateToken(
        _ id: String, overlap: Duration?, expires: TokenExpiry
    ) async throws -> NewToken {
        try await client.rotateToken(id, overlap: overlap, expires: expires)
    }

    func revokeToken(_ id: String?, force: Bool) async throws -> AccountsReply {
        guard let id else { return try await client.revokeAllTokens(force: force) }
        return try await client.revokeToken(id, force: force)
    }

    func audit(after number: Int64?, limit: Int) async throws -> Page<AuditItem, Int64> {
        try await client.audit(after: number, limit: limit)
    }
}
