/// Who changes accounts, and how.
package struct AccountsCaller: Sendable {
    /// The name for the audit.
    package var name: String
    /// The address for the audit; `unix`, or `data` for the command line beside a stopped server.
    package var from: String
    /// Whether it is the owner, who gets in whatever the accounts are.
    package var isOwner: Bool
    /// Whether the last administrator may be taken away.
    package var force = false
    /// Whether the difference is only computed.
    package var isTrial = false

    /// A caller.
    package init(name: String, from: String, isOwner: Bool) {
        self.name = name
        self.from = from
        self.isOwner = isOwner
    }

    /// The command line beside a stopped server.
    package static let offline = AccountsCaller(
        name: PrincipalName.owner.text, from: "data", isOwner: true)
}
