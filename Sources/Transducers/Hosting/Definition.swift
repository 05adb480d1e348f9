/// A named, versioned machine with its types erased: what a server hosts.
public struct Definition: Sendable {
    /// The machine's name on the wire: a letter, then up to 63 letters, digits, `_`, `.`, `-`.
    public let name: String

    /// The version its author gave it, such as `"1.0.0"`.
    public let version: String

    /// Whether its states have names, as enums do; then `list` can select by them.
    public let stateHasNames: Bool

    /// The handlers that the machine's effects ask for: a server that lacks one refuses to start.
    public let handlers: [String]

    /// The machine.
    public let machine: any HostedMachine

    /// What is known of its states and events; `nil` where nothing is.
    public let describer: (any MachineDescriber)?

    /// Puts a definition together; `init(_:named:version:)` makes one of a Swift type.
    public init(
        name: String, version: String, stateHasNames: Bool, handlers: [String] = [],
        machine: any HostedMachine, describer: (any MachineDescriber)? = nil
    ) {
        self.describer = describer
        self.handlers = handlers
        self.name = name
        self.version = version
        self.stateHasNames = stateHasNames
        self.machine = machine
    }

    /// A hash of what identifies it, 16 hexadecimal digits: of name and version for machines
    /// that are compiled in, whose code no hash can cover.
    public var hash: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(name)@\(version)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
