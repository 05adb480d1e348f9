/// Registrations that are removed together.
public final class DisposableGroup: Disposable {
    private var members: [any Disposable]

    /// Whether the group has been removed; `false` for a new one.
    public private(set) var disposed = false

    /// A group of these.
    public init(_ members: [any Disposable] = []) { self.members = members }

    /// Adds a member; a removed group removes it at once.
    public func add(_ member: any Disposable) {
        if disposed { member.dispose() } else { members.append(member) }
    }

    /// Removes every member, in the order in which they were added.
    public func dispose() {
        disposed = true
        let members = members
        self.members = []
        for member in members { member.dispose() }
    }
}
