import OrderedJSON

/// Reads the accounts of a document and collects its problems.
struct AccountsReader {
    typealias Node = JSONDocument.Node

    let document: JSONDocument
    private let limits: AccountLimits
    var problems = AccountsProblems()

    /// The principal of each identity and token that was read: none belongs to two.
    private var identityOwners: [Identity: PrincipalName] = [:]
    private var tokenOwners: [TokenID: PrincipalName] = [:]
    /// The grants that were read, by their texts: many principals have the same.
    private var grants: [ByteText: Grant] = [:]

    init(_ document: JSONDocument, limits: AccountLimits = .document) {
        self.document = document
        self.limits = limits
    }

    mutating func accounts() -> [Account] {
        let root = document.root
        guard document.kind(root) == .object else {
            note(root, "a document is an object with the members accounts and principals")
            return []
        }
        checkMembers(of: root, ["accounts", "principals"])
        let version = document.member("accounts", of: root)
        if version.map({ document.integer($0) }) != AccountsDocument.version {
            note(version ?? root, "accounts is \(AccountsDocument.version), the form's version")
        }
        guard let list = document.member("principals", of: root) else {
            note(root, "principals is missing: an object with an account for each name")
            return []
        }
        guard document.kind(list) == .object else {
            note(list, "principals is an object with an account for each name")
            return []
        }
        guard document.count(list) <= AccountsDocument.accountsMax else {
            note(list, "a server has at most \(AccountsDocument.accountsMax) principals")
            return []
        }
        return document.members(of: list).compactMap { account($0.name, $0.value) }
    }

    // MARK: one account

    private mutating func account(_ nameNode: Node, _ node: Node) -> Account? {
        guard let name = name(nameNode) else { return nil }
        return account(of: name, node)
    }

    /// Reads the members of an account; `nil` and a problem for what is no object.
    mutating func account(of name: PrincipalName, _ node: Node) -> Account? {
        guard document.kind(node) == .object else {
            note(node, "an account is an object with identities, grants, quotas and tokens")
            return nil
        }
        checkMembers(of: node, ["identities", "grants", "quotas", "tokens"])
        var account = Account(name)
        for element in elements("identities", of: node, max: limits.identitiesMax) {
            if let identity = identity(element, of: name) { account.insert(identity) }
        }
        var seen: Set<Grant> = []
        account.setGrants(
            elements("grants", of: node, max: limits.grantsMax).compactMap {
                grant($0, besides: &seen)
            })
        if let quotas = document.member("quotas", of: node) {
            account.quotas = self.quotas(quotas)
        }
        if document.member("tokens", of: node) != nil {
            account.setTokens(
                elements("tokens", of: node, max: limits.tokensMax).compactMap {
                    token($0, of: name)
                })
        }
        return account
    }

    private mutating func name(_ node: Node) -> PrincipalName? {
        let text = document.string(node) ?? ""
        if text == PrincipalName.anonymous.text { return .anonymous }
        if text == PrincipalName.owner.text {
            note(node, "owner has every verb and no account: leave it out")
            return nil
        }
        do throws(PrincipalNameError) {
            return try PrincipalName(text)
        } catch {
            note(node, error.description)
            return nil
        }
    }

    private mutating func identity(_ node: Node, of name: PrincipalName) -> Identity? {
        guard name != .anonymous else {
            note(node, "anonymous is who has no identity: give it to a principal")
            return nil
        }
        guard let text = document.string(node) else {
            note(node, "an identity is a string such as \"uid:1000\"")
            return nil
        }
        do throws(IdentityError) {
            let identity = try Identity(text)
            if let other = identityOwners[identity] {
                note(node, "this identity is \(other)'s already: it stands for one principal")
                return nil
            }
            identityOwners[identity] = name
            return identity
        } catch {
            note(node, error.description)
            return nil
        }
    }

    private mutating func grant(_ node: Node, besides others: inout Set<Grant>) -> Grant? {
        guard let text = document.string(node) else {
            note(node, "a grant is a string such as \"read order/*\"")
            return nil
        }
        do throws(GrantTextError) {
            let key = ByteText(text)
            let grant = if let known = grants[key] { known } else { try Grant(text) }
            grants[key] = grant
            guard others.insert(grant).inserted else {
                note(node, "this grant stands here twice: write it once")
                return nil
            }
            return grant
        } catch {
            note(node, error.description)
            return nil
        }
    }

    private mutating func quotas(_ node: Node) -> [Quota: Int64] {
        guard document.kind(node) == .object else {
            note(node, "quotas is an object with a number for each quota")
            return [:]
        }
        checkMembers(of: node, Quota.allCases.map(\.rawValue))
        var quotas: [Quota: Int64] = [:]
        for quota in Quota.allCases {
            guard let value = document.member(named: quota.rawValue, of: node) else { continue }
            guard let number = document.integer(value), (1...limits.quotaMax).contains(number)
            else {
                note(value, "\(quota.rawValue) is an integer from 1 to \(limits.quotaMax)")
                continue
            }
            quotas[quota] = number
        }
        return quotas
    }

    // MARK: tokens

    private mutating func token(_ node: Node, of name: PrincipalName) -> TokenNote? {
        guard name != .anonymous else {
            note(node, "anonymous is who has no token: give it to a principal")
            return nil
        }
        guard document.kind(node) == .object, let idNode = document.member("id", of: node) else {
            note(node, "a token is an object with id, label and dates")
            return nil
        }
        checkMembers(of: node, ["id", "label", "made", "expires", "last_used"])
        guard let id = document.string(idNode).flatMap(TokenID.init) else {
            note(idNode, "an id has 8 letters of a-z and 2-7; a whole token has no place here")
            return nil
        }
        if let other = tokenOwners[id] {
            note(idNode, "this token is \(other)'s already: it stands here once")
            return nil
        }
        tokenOwners[id] = name
        let label = document.member("label", of: node)
        let text = label.map { document.string($0) } ?? ""
        if let label, text.map(TokenNote.isLabel) != true {
            note(
                label,
                "a label is a string of at most \(TokenNote.labelBytesMax) bytes without controls")
        }
        return TokenNote(
            id, label: text ?? "", made: instant("made", of: node),
            expires: instant("expires", of: node), lastUsed: day("last_used", of: node))
    }

    private mutating func instant(_ name: StaticString, of node: Node) -> InstantText? {
        guard let value = document.member(name, of: node) else { return nil }
        let instant = document.string(value).flatMap(InstantText.init)
        if instant == nil {
            note(value, "\(name) is a time such as \"2026-11-21T02:20:00Z\"")
        }
        return instant
    }

    private mutating func day(_ name: StaticString, of node: Node) -> DayText? {
        guard let value = document.member(name, of: node) else { return nil }
        let day = document.string(value).flatMap(DayText.init)
        if day == nil { note(value, "\(name) is a day such as \"2026-11-21\"") }
        return day
    }

    // MARK: shapes

    private mutating func note(_ node: Node, _ message: String) {
        problems.add(document.path(to: node), message)
    }

    private mutating func checkMembers(of node: Node, _ known: [String]) {
        for member in document.members(of: node) {
            guard let name = document.string(member.name), !known.contains(name) else { continue }
            note(member.value, "no such member; there are \(known.joined(separator: ", "))")
        }
    }

    private mutating func elements(_ name: StaticString, of node: Node, max: Int) -> [Node] {
        guard let list = document.member(name, of: node) else { return [] }
        guard document.kind(list) == .array else {
            note(list, "\(name) is a list")
            return []
        }
        guard document.count(list) <= max else {
            note(list, "a principal has at most \(max) \(name)")
            return []
        }
        return Array(document.elements(of: list))
    }
}
