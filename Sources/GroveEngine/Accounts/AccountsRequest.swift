import GroveAccess
import GroveWire

/// `accounts`, `token` and `audit`: reads and changes who may do what.
public struct AccountsRequest: Sendable {
    package enum Action: Sendable {
        /// A page of accounts, after a name.
        case list(after: PrincipalName?, limit: Int)
        /// A change. A new token's text comes back in the reply, and is nowhere else.
        case change(AccountsCommand, tokenText: [UInt8]?)
        /// A page of the audit, after a number.
        case audit(after: Int64, limit: Int)
    }

    package var action: Action
    /// Which of the three ops it is.
    package var op: Op
    /// The client's address, for the audit.
    package var from = ""
    package var force = false
    package var isTrial = false

    package init(_ action: Action, op: Op) {
        self.action = action
        self.op = op
    }

    /// Whether it asks for a change, also only to see what that would change.
    package var isChange: Bool {
        if case .change = action { true } else { false }
    }
}
