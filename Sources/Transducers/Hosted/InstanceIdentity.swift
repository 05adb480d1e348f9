/// What a machine may know of an instance all its life.
public struct InstanceIdentity: Sendable, Hashable {
    /// The full name, `machine/instance`.
    public let name: String
    /// The number of the instance in its server's data file; 0 where there is none.
    public let number: Int64
    /// The full name of the instance that started it; `nil` for none.
    public let parent: String?

    /// An identity.
    public init(name: String, number: Int64, parent: String?) {
        self.name = name
        self.number = number
        self.parent = parent
    }

    /// The identity of an instance outside of a server.
    public static let unnamed = InstanceIdentity(name: "machine/main", number: 0, parent: nil)
}
