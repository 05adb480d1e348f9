import OrderedJSON

/// How a change of accounts is made.
public struct AccountsMode: Hashable, Sendable {
    /// Whether the last principal that may administer the server can be taken away.
    public var force: Bool
    /// Whether the server only says what would change.
    public var isTrial: Bool

    /// A change that is made, and leaves somebody who may administer the server.
    public init(force: Bool = false, isTrial: Bool = false) {
        self.force = force
        self.isTrial = isTrial
    }

    /// A request with the fields of the mode.
    func added(to request: Request) -> Request {
        request.with("force", force ? .bool(true) : nil)
            .with("dry_run", isTrial ? .bool(true) : nil)
    }
}
