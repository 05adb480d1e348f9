import OrderedJSON

/// All principals of a server, as `accounts export` writes them and `accounts apply` reads them.
///
/// ```json
/// {"accounts":1,"principals":{"shop":{"identities":["uid:1000"],
///   "grants":["send(place,pay) order/*"],"quotas":{"connections":16},
///   "tokens":[{"id":"k3v7qzt2","label":"web","expires":"2027-02-19T00:00:00.000Z"}]}}}
/// ```
///
/// It holds no secrets: a token appears with its id, so a document can name and revoke it, but not
/// make it.
package struct AccountsDocument: Equatable, Sendable {
    /// The version of the form.
    package static let version: Int64 = 1

    /// The accounts, sorted by name and each name once.
    package private(set) var accounts: [Account] = []

    /// A document without principals.
    package init() {}

    /// A document of some accounts; of several with one name the last one stays.
    package init(_ accounts: some Sequence<Account>) {
        var named: [PrincipalName: Account] = [:]
        for account in accounts { named[account.name] = account }
        self.accounts = named.values.sorted { $0.name < $1.name }
    }

    /// Reads a document.
    ///
    /// - Throws: ``AccountsProblems`` with all problems at once, each with its JSON path. Then
    ///   nothing of it may be used.
    package init(parsing bytes: [UInt8]) throws(AccountsProblems) {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: bytes, limits: Self.jsonLimits)
        } catch {
            throw AccountsProblems([AccountsProblem("$", "this is no JSON: \(error)")])
        }
        var reader = AccountsReader(document)
        let accounts = reader.accounts()
        guard reader.problems.isEmpty else { throw reader.problems }
        self.init(accounts)
    }

    /// The account of a principal.
    package subscript(name: PrincipalName) -> Account? {
        place(of: name).map { accounts[$0] }
    }

    /// The principals who can administer the server: with the verb, and with an identity or a token
    /// that hasn't ended. The owner isn't among them.
    package func administrators(at now: InstantText) -> [PrincipalName] {
        accounts.filter { account in
            account.verbs.contains(.admin)
                && (!account.identities.isEmpty
                    || (account.tokens ?? []).contains { $0.expires.map { $0 > now } ?? true })
        }.map(\.name)
    }

    private func place(of name: PrincipalName) -> Int? {
        var low = 0
        var high = accounts.count
        while low < high {
            let middle = (low + high) / 2
            if accounts[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low < accounts.count && accounts[low].name == name ? low : nil
    }
}
