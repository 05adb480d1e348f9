/// Says what is known of a machine, and what its stored states are called.
public protocol MachineDescriber: Sendable {
    /// Whether a description needs no code of the machine and no observed steps: then a server
    /// makes it on another thread, however long it takes.
    var readsDataOnly: Bool { get }

    /// What is known of it without looking at instances. Computed again each time, a few
    /// milliseconds at most for a machine whose steps take microseconds.
    ///
    /// - Parameter state: The state of an instance as JSON, which the drawing shows as active;
    ///   `nil` for none.
    func describe(in state: [UInt8]?) -> MachineDescription

    /// What a stored state is called, or `nil` where states have no names.
    func stateName(_ json: [UInt8]) -> String?
}

extension MachineDescriber {
    /// It may need them.
    public var readsDataOnly: Bool { false }

    /// What is known of the machine, without an instance.
    public func describe() -> MachineDescription { describe(in: nil) }
}
