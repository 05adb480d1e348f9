/// A page of the search for done instances.
public struct FinishedPage: Sendable, Equatable {
    public var names: [InstanceName]
    /// The last instance that was searched; `nil` at the end.
    public var next: InstanceNumber?
    /// The faults of damaged instances; these stay.
    public var damaged: [String] = []

    public init(names: [InstanceName], next: InstanceNumber?) {
        self.names = names
        self.next = next
    }
}
