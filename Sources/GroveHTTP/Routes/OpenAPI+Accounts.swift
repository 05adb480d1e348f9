/// The bodies about accounts, which have a form for each action.
extension OpenAPI {
    static let accounts: [BodyForm] = [
        BodyForm(members: [
            JSONMember("action?", .only("list")),
            JSONMember("after?", .of(.principalName), "the next of the page before"),
            JSONMember(
                "limit?", .integer(from: 1, to: Int64(ProtocolLimits.pageItemsMax)),
                "items of a page; 100 by default"),
        ]),
        BodyForm(
            members: [
                JSONMember("action", .only("change")), principal,
                JSONMember("add?", .of(.accountParts)),
                JSONMember("remove?", .of(.accountParts)),
                JSONMember(
                    "quotas?", SchemaMembers.changedQuotas, "null stands for the standard one"),
                JSONMember("new?", .flag, "refuse it if the principal exists"),
            ] + switches),
        BodyForm(members: [JSONMember("action", .only("revoke")), principal] + switches),
        BodyForm(
            members: [
                JSONMember("action", .only("apply")),
                JSONMember("document", .of(.accountsDocument)),
            ] + switches),
    ]

    static let tokens: [BodyForm] = [
        BodyForm(members: [
            JSONMember("action", .only("create")), principal,
            JSONMember("label?", .text(0...ProtocolLimits.tokenLabelBytesMax), "for people"),
            expires,
            JSONMember(
                "grants?", SchemaMembers.grantList,
                "of the principal, which is created if it is missing"),
            force,
        ]),
        BodyForm(members: [
            JSONMember("action", .only("rotate")), JSONMember("token_id", .of(.tokenID)),
            expires,
            JSONMember(
                "overlap_ms?", .integer(from: 0, to: ProtocolLimits.overlapMillisecondsMax),
                "the time for which the old one still holds; a day by default"),
            force,
        ]),
        BodyForm(members: [
            JSONMember("action", .only("revoke")), JSONMember("token_id", .of(.tokenID)),
            JSONMember("all?", .only(false)), force,
        ]),
        BodyForm(members: [
            JSONMember("action", .only("revoke")),
            JSONMember("all", .only(true), "every token of every principal"),
            JSONMember("token_id?", .never), force,
        ]),
    ]

    private static let principal = JSONMember("principal", .of(.principalName))
    private static let expires = JSONMember(
        "expires?", .of(.time).orNull, "null for never; 90 days by default")
    private static let force = JSONMember(
        "force?", .flag, "also if then nobody could administer the server")
    private static let switches = [
        force, JSONMember("dry_run?", .flag, "say what would change, and change nothing"),
    ]
}
