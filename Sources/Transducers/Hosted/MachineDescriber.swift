/// Says what is known of a machine, and what its stored states are called.
public protocol MachineDescriber: Sendable {
    /// What is known of it without looking at instances. Computed again each time, a few
    /// milliseconds at most for a machine whose steps take microseconds.
    func describe() -> MachineDescription

    /// What a stored state is called, or `nil` where states have no names.
    func stateName(_ json: [UInt8]) -> String?
}
