/// Registrations that are taken back together.
public final class DisposableGroup: Disposable {
    private var members: [any Disposable]

    /// Whether the group has been taken back. One to which nothing was added yet isn't.
    public private(set) var disposed = false

    /// A group of these.
    public init(_ members: [any Disposable] = []) { self.members = members }

    /// Adds a member; to a group that has been taken back, it is taken back at once.
    public func add(_ member: any Disposable) {
        if disposed { member.dispose() } else { members.append(member) }
    }

    /// Takes back every member, in the order in which they were added.
    public func dispose() {
        disposed = true
        let members = members
        self.members = []
        for member in members { member.dispose() }
    }
}
