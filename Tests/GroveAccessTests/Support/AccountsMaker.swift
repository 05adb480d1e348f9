import GroveAccess
import GroveTestSupport

/// Makes random documents with few names, so that two of them have much in common.
struct AccountsMaker {
    var grants: GrantMaker

    init(seed: UInt64) { grants = GrantMaker(seed: seed) }

    private mutating func some<T>(_ items: [T]) -> [T] { items.filter { _ in grants.bool() } }

    private mutating func expiry() -> InstantText? {
        grants.pick([nil, "2026-11-26T00:00:00Z", "2027-01-01T00:00:00.500Z"])
            .flatMap(InstantText.init)
    }

    /// A document.
    ///
    /// - Parameter tokens: The tokens that there may be, by principal; `nil` to make some.
    mutating func document(tokens: [PrincipalName: [TokenNote]]? = nil) throws -> AccountsDocument {
        var accounts: [Account] = []
        var identities = try ["uid:1", "uid:2", "gid:3", "cert:dns:a.b"].map { try Identity($0) }
        for (index, text) in ["shop", "web-1", "ops"].enumerated() where grants.bool() {
            let name = try PrincipalName(text)
            var account = Account(name)
            for identity in some(identities) {
                identities.removeAll { $0 == identity }
                account.insert(identity)
            }
            for _ in 0..<3 where grants.bool() {
                account.insert(try Grant(grants.grant().text))
            }
            for quota in some(Quota.allCases) {
                account.quotas[quota] = .random(in: 1...9, using: &grants.random)
            }
            let end = ["a", "b", "c"][index]
            let ids = ["aaaaaaa", "bbbbbbb"].compactMap { TokenID($0 + end) }
            var notes = some(tokens.map { $0[name] ?? [] } ?? ids.map { TokenNote($0) })
            for place in notes.indices {
                notes[place].label = grants.pick(["", "web", "ci"])
                notes[place].expires = expiry()
            }
            account.setTokens(tokens != nil && grants.bool() ? nil : notes)
            accounts.append(account)
        }
        if grants.bool() {
            var account = Account(.anonymous)
            account.insert(try Grant("read a/*"))
            accounts.append(account)
        }
        return AccountsDocument(accounts)
    }
}
