import OrderedJSON

extension Account {
    /// The account as JSON without its name: the same bytes for the same account. The form is that
    /// of an account in an ``AccountsDocument``.
    package func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.object { appendMembers(to: &$0) }
        return writer.bytes
    }

    /// Reads an account as it was stored. It may have more parts than a document may ask for,
    /// because a bound that shrinks must not make a data file unreadable.
    ///
    /// - Throws: ``AccountsProblems`` with all problems at once.
    package init(named name: PrincipalName, parsing bytes: [UInt8]) throws(AccountsProblems) {
        let document: JSONDocument
        do {
            document = try JSONDocument(parsing: bytes, limits: AccountsDocument.jsonLimits)
        } catch {
            throw AccountsProblems([AccountsProblem("$", "this is no JSON: \(error)")])
        }
        var reader = AccountsReader(document, limits: .stored)
        let account = reader.account(of: name, document.root)
        guard let account, reader.problems.isEmpty else { throw reader.problems }
        self = account
    }
}
