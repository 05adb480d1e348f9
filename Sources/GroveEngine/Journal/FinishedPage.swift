/// A page of the search for instances that are done.
public struct FinishedPage: Sendable, Equatable {
    /// The names of those that are.
    public var names: [InstanceName]
    /// The last instance that was looked at; `nil` when there are no more behind it.
    public var next: InstanceNumber?
    /// What is wrong with those among them that are damaged: they stay, and others are found.
    public var damaged: [String] = []

    /// Puts the two together.
    public init(names: [InstanceName], next: InstanceNumber?) {
        self.names = names
        self.next = next
    }
}
