import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    func accounts() throws(WireError) -> AccountsRequest {
        var request: AccountsRequest
        switch try word("action", ["list", "change", "revoke", "apply"]) ?? "list" {
        case "change":
            request = AccountsRequest(.change(.change(try edit()), tokenText: nil), op: .accounts)
        case "revoke":
            request = AccountsRequest(
                .change(.revoke(try principal("principal")), tokenText: nil), op: .accounts)
        case "apply":
            request = AccountsRequest(
                .change(.apply(try accountsDocument()), tokenText: nil), op: .accounts)
        default:
            let after = member("after") == nil ? nil : try principal("after")
            return AccountsRequest(.list(after: after, limit: try limit()), op: .accounts)
        }
        request.force = try flag("force") ?? false
        request.isTrial = try flag("dry_run") ?? false
        return request
    }

    /// The name of a principal.
    func principal(_ name: StaticString) throws(WireError) -> PrincipalName {
        let text = try required(text(name), name)
        if text == PrincipalName.anonymous.text { return .anonymous }
        do throws(PrincipalNameError) {
            return try PrincipalName(text)
        } catch {
            throw .badRequest("$.\(name)", error.description)
        }
    }

    private func edit() throws(WireError) -> PrincipalEdit {
        var edit = PrincipalEdit(try principal("principal"))
        edit.isNew = try flag("new") ?? false
        (edit.addedIdentities, edit.addedGrants) = try parts("add")
        (edit.removedIdentities, edit.removedGrants) = try parts("remove")
        guard let quotas = member("quotas") else { return edit }
        guard document.kind(quotas) == .object else {
            throw .badRequest("$.quotas", "quotas is an object with a number for each quota")
        }
        for (name, value) in document.members(of: quotas) {
            guard let quota = document.string(name).flatMap(Quota.init(rawValue:)) else {
                let known = Quota.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("$.quotas", "there is no such quota; there are \(known)")
            }
            guard document.kind(value) != .null else {
                edit.quotas[quota] = .some(nil)
                continue
            }
            guard let number = integer(value, in: 1...Quota.valueMax) else {
                throw .badRequest(
                    "$.quotas.\(quota.rawValue)",
                    "\(quota.rawValue) is an integer from 1 to \(Quota.valueMax), or null")
            }
            edit.quotas[quota] = number
        }
        return edit
    }

    private func parts(_ name: StaticString) throws(WireError) -> ([Identity], [Grant]) {
        guard let node = member(name) else { return ([], []) }
        guard document.kind(node) == .object else {
            throw .badRequest("$.\(name)", "\(name) is an object with identities and grants")
        }
        let identities = try texts("identities", of: node, "$.\(name)") {
            text, path throws(WireError) in
            do throws(IdentityError) {
                return try Identity(text)
            } catch {
                throw .badRequest(path, error.description)
            }
        }
        let grants = try texts("grants", of: node, "$.\(name)", read: Self.grant)
        return (identities, grants)
    }

    /// Reads the grants in a list of strings.
    func grants() throws(WireError) -> [Grant] {
        try texts("grants", of: fields, "$", read: Self.grant)
    }

    private static func grant(_ text: String, _ path: String) throws(WireError) -> Grant {
        do throws(GrantTextError) {
            return try Grant(text)
        } catch {
            throw .badRequest(path, error.description)
        }
    }

    private func texts<Value>(
        _ name: StaticString, of object: JSONDocument.Node, _ path: String,
        read: (String, String) throws(WireError) -> Value
    ) throws(WireError) -> [Value] {
        guard let list = document.member(name, of: object) else { return [] }
        let path = "\(path).\(name)"
        guard document.kind(list) == .array else {
            throw .badRequest(path, "\(name) is a list of strings")
        }
        guard document.count(list) <= Account.grantsMax else {
            throw WireError(.limit, "a principal has at most \(Account.grantsMax) \(name)")
        }
        var values: [Value] = []
        for (index, node) in document.elements(of: list).enumerated() {
            guard let text = document.string(node) else {
                throw .badRequest("\(path)[\(index)]", "\(name) is a list of strings")
            }
            values.append(try read(text, "\(path)[\(index)]"))
        }
        return values
    }

    private func accountsDocument() throws(WireError) -> AccountsDocument {
        let node = try required(member("document"), "document")
        do throws(AccountsProblems) {
            return try AccountsDocument(parsing: document.value(node).serialized())
        } catch {
            let problems = error.listed.map {
                DefinitionProblem(path: $0.path, message: $0.message)
            }
            throw WireError(.badAccounts(problems), cursors: cursors)
        }
    }
}

extension ReplyEncoder {
    mutating func append(_ accounts: Reply.Accounts, _ writer: inout JSONWriter) {
        switch accounts.content {
        case .page(let page, let next):
            writer.array("items", page) { writer, account in
                writer.object { writer in
                    writer.member("name", account.name.text)
                    account.appendMembers(to: &writer)
                }
            }
            writer.member("next", next?.text)
        case .changed(let lines, nil): writer.array("changes", lines)
        case .changed(_, let made?):
            writer.name("token")
            made.text.withUnsafeBytes { writer.string(utf8: $0) }
            writer.member("token_id", made.token.id.text)
            writer.member("principal", made.owner)
            instant(made.token.expires, as: #","expires":""#, &writer)
        case .audit(let entries, let next): append(entries, next: next, &writer)
        }
    }
}
