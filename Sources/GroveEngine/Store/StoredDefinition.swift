/// A definition of a machine as data, as a store keeps it.
public struct StoredDefinition: Sendable, Equatable {
    /// The place in the order of definition, from 1; a store sets it. Never used again.
    public var number: Int64 = 0
    /// The machine's name.
    public var machine: String
    public var version: String
    /// The hash of the contents, 16 hexadecimal digits.
    public var hash: String
    /// The definition, JSON.
    public var text: [UInt8]
    /// The time of its `define`.
    public var defined: Timestamp
    /// Whether its machine takes no new instances; counts for the newest version of a machine.
    public var isRetired = false

    public init(
        machine: String, version: String, hash: String, text: [UInt8], defined: Timestamp
    ) {
        self.machine = machine
        self.version = version
        self.hash = hash
        self.text = text
        self.defined = defined
    }
}
