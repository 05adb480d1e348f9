/// Parts of requests.
extension SchemaMembers {
    static let sendItem: [JSONMember] = [
        JSONMember("to", .of(.instanceName)),
        JSONMember("event", .of(.event)),
        JSONMember("dedup?", .of(.dedupKey)),
        JSONMember("expect?", .of(.expectation)),
        JSONMember("create?", .word(ProtocolWords.creations), "if_absent by default"),
        JSONMember("reply?", .word(ProtocolWords.replySizes), "min by default"),
    ]

    // MARK: Accounts

    private static let identities = JSONMember(
        "identities?",
        .list(of: .text(1...ProtocolLimits.identityBytesMax), 0...ProtocolLimits.partsMax),
        "users and certificates, such as uid:1000")

    private static let grants = JSONMember("grants?", grantList, "such as send,read order/*")

    static let grantList = JSONSchema.list(
        of: .text(1...ProtocolLimits.grantBytesMax), 0...ProtocolLimits.partsMax)

    static let accountParts = [identities, grants]

    static let quotas = quotas(of: quota)
    /// Quotas in a change of a principal, where `null` stands for the standard one.
    static let changedQuotas = quotas(of: quota.orNull)

    private static let quota = JSONSchema.integer(from: 1, to: ProtocolLimits.quotaMax)

    private static func quotas(of quota: JSONSchema) -> JSONSchema {
        .object(ProtocolWords.quotas.map { JSONMember("\($0)?", quota) }).closed
    }

    static let tokenNote: [JSONMember] = [
        JSONMember("id", .of(.tokenID)),
        JSONMember("label?", .text(0...ProtocolLimits.tokenLabelBytesMax)),
        JSONMember("made?", .of(.time)),
        JSONMember("expires?", .of(.time), "missing for a token that doesn't end"),
        JSONMember("last_used?", .text.formed("date"), "the day"),
    ]

    /// The members of a principal but for its name, as lists and documents have them.
    static func accountOf(isClosed: Bool = false) -> [JSONMember] {
        let token = JSONSchema.object(tokenNote)
        let tokens = isClosed ? token.closed : .of(.tokenNote)
        return [
            identities, grants,
            JSONMember("quotas?", .of(.quotas)),
            JSONMember("tokens?", .list(of: tokens, 0...ProtocolLimits.tokensMax)),
        ]
    }

    static let accountsDocument = JSONSchema.object([
        JSONMember("accounts", .only(1), "the version of this form"),
        JSONMember(
            "principals", .map(of: .object(accountOf(isClosed: true)).closed),
            "principals by name"),
    ]).closed.described("all principals, as accounts export writes them")
}
