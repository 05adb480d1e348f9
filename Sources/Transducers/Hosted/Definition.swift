/// A named, versioned machine with its types erased: what a server hosts.
public struct Definition: Sendable {
    /// The machine's name on the wire: a letter, then up to 63 letters, digits, `_`, `.`, `-`.
    public let name: String

    /// The version its author gave it, such as `"1.0.0"`.
    public let version: String

    /// How its states are called.
    public let naming: StateNaming

    /// Whether its states have names; then `list` can select by them.
    public var stateHasNames: Bool { naming.exists }

    /// The events it takes, in the order of their declaration; `nil` where they aren't known: of a
    /// type that reads itself in a way of its own.
    public let takes: [TakenEvent]?

    /// What makes the machine no good for hosting, in words; a ``Definition`` with faults is
    /// refused when a server starts.
    public let faults: [String]

    /// The handlers that the machine's effects ask for: a server that lacks one refuses to start.
    public let handlers: [String]

    /// The events that clients may not send, by the names of their cases on the wire.
    public let internalEvents: Set<String>

    /// The machine.
    public let machine: any HostedMachine

    /// What is known of its states and events; `nil` where nothing is.
    public let describer: (any MachineDescriber)?

    /// A definition; `init(_:named:version:)` makes one of a Swift type.
    public init(
        name: String, version: String, stateHasNames: Bool, handlers: [String] = [],
        internalEvents: Set<String> = [], machine: any HostedMachine,
        describer: (any MachineDescriber)? = nil
    ) {
        self.init(
            name: name, version: version, naming: StateNaming(hasNames: stateHasNames),
            handlers: handlers, internalEvents: internalEvents,
            shape: TypedShape(events: nil, states: nil, internalEvents: internalEvents),
            machine: machine, describer: describer)
    }

    init(
        name: String, version: String, naming: StateNaming, handlers: [String],
        internalEvents: Set<String>, shape: TypedShape, machine: any HostedMachine,
        describer: (any MachineDescriber)?
    ) {
        self.internalEvents = internalEvents
        self.describer = describer
        self.handlers = handlers
        self.name = name
        self.version = version
        self.naming = naming
        self.machine = machine
        takes = shape.takes
        faults = shape.faults
    }

    /// The name of an event that clients may not send; `nil` for any other one. It is read of the
    /// event as the machine writes it, so that no other way to spell it helps.
    public func internalName(of event: any HostedEvent) -> String? {
        guard !internalEvents.isEmpty else { return nil }
        // One that can't be written is none of these: an effect couldn't bring it either.
        guard let text = try? event.canonicalText(), let name = CaseName.read(text) else {
            return nil
        }
        return internalEvents.contains(name) ? name : nil
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
