import OrderedJSON

/// A named, versioned machine without its types, for a server to host.
public struct Definition: Sendable {
    /// The machine's name on the wire: a letter, then up to 63 letters, digits, `_`, `.`, `-`.
    public let name: String

    /// The author's version, such as `"1.0.0"`.
    public let version: String

    /// The names of its states.
    public let naming: StateNaming

    /// Whether its states have names, by which `list` can select.
    public var stateHasNames: Bool { naming.exists }

    /// The events that it accepts, in the order of their declaration; `nil` if unknown, because the
    /// type has its own decoding.
    public let takes: [TakenEvent]?

    /// The problems that prevent hosting, in words. A server refuses such a definition at its
    /// start.
    public let faults: [String]

    /// The handlers that the machine calls. A server without one of them refuses to start.
    public let handlers: [String]

    /// The events that clients may not send, by case name. Events of parts aren't among them:
    /// ``internalName(of:)``.
    public let internalEvents: Set<String>

    /// The name of an event that clients may not send.
    private let refusedName: @Sendable (any HostedEvent) -> String?

    /// The machine.
    public let machine: any HostedMachine

    /// Describes its states and events, if it can.
    public let describer: (any MachineDescriber)?

    /// The hash of a machine as data, 16 hexadecimal digits; `nil` for compiled code.
    let contentHash: String?

    /// Whether it is data, and each instance keeps its version until it is migrated. A compiled
    /// machine has one version at a time.
    public var isFixed: Bool { contentHash != nil }

    /// A definition; `init(_:named:version:)` makes one from a Swift type.
    public init(
        name: String, version: String, stateHasNames: Bool, handlers: [String] = [],
        internalEvents: Set<String> = [], machine: any HostedMachine,
        describer: (any MachineDescriber)? = nil
    ) {
        self.init(
            name: name, version: version, naming: StateNaming(hasNames: stateHasNames),
            handlers: handlers, internalEvents: internalEvents, events: nil, states: nil,
            machine: machine, describer: describer,
            refusedName: { internalEvents.isEmpty ? nil : Self.name(of: $0, in: internalEvents) })
    }

    /// A definition of a machine as data.
    ///
    /// - Parameters:
    ///   - contentHash: The hash of the data, 16 hexadecimal digits.
    ///   - stateNames: The names of the active states of a stored state; the first one stands for
    ///     all.
    ///   - known: The names that there are; `nil` if each instance has others.
    ///   - takes: The events that it accepts.
    package init(
        name: String, version: String, contentHash: String,
        stateNames: @escaping @Sendable ([UInt8]) -> [String], known: [String]?,
        takes: [TakenEvent], handlers: [String], machine: any HostedMachine,
        describer: any MachineDescriber, faults: [String] = []
    ) {
        self.name = name
        self.version = version
        self.contentHash = contentHash
        naming = StateNaming(active: stateNames, known: known)
        self.takes = takes
        self.handlers = handlers
        self.machine = machine
        self.describer = describer
        self.faults = faults
        internalEvents = []
        refusedName = { _ in nil }
    }

    init(
        name: String, version: String, naming: StateNaming, handlers: [String],
        internalEvents: Set<String>, events: [EnumCase]?, states: [EnumCase]?,
        machine: any HostedMachine, describer: (any MachineDescriber)?,
        refusedName: @escaping @Sendable (any HostedEvent) -> String?
    ) {
        self.internalEvents = internalEvents
        self.refusedName = refusedName
        self.describer = describer
        self.handlers = handlers
        self.name = name
        self.version = version
        self.naming = naming
        self.machine = machine
        contentHash = nil
        takes = TakenEvent.all(events, internal: internalEvents)
        faults =
            Self.labelFaults("event", events) + Self.labelFaults("state", states)
            + (events.map { Self.unknownEvents(internalEvents, $0) } ?? [])
    }

    private static func labelFaults(_ kind: String, _ cases: [EnumCase]?) -> [String] {
        (cases ?? []).filter(\.hasTypeLabel).map {
            "the \(kind) \"\($0.name)\" has a value with the label \"type\", which names the case "
                + "on the wire: call it otherwise"
        }
    }

    private static func unknownEvents(_ names: Set<String>, _ events: [EnumCase]) -> [String] {
        names.subtracting(events.map(\.name)).sorted().map {
            "internalEvents names \"\($0)\", and there is no such event: "
                + EnumCase.choice(events.map(\.name))
        }
    }

    /// The name of an event that clients may not send; `nil` for others. That of a part's event has
    /// the part before it, such as `first.paid`. It comes from the event as the machine encodes it,
    /// so that another spelling doesn't evade the check.
    public func internalName(of event: any HostedEvent) -> String? { refusedName(event) }

    private static func name(of event: any HostedEvent, in names: Set<String>) -> String? {
        // An event that can't be encoded isn't one of these: no effect could send it either.
        guard let text = try? event.canonicalText(), let name = CaseName.read(text) else {
            return nil
        }
        return names.contains(name) ? name : nil
    }

    /// A hash of the data, or of name and version because compiled code can't be hashed: 16
    /// hexadecimal digits.
    public var hash: String { contentHash ?? "\(name)@\(version)".utf8.fnv1a.hexDigits }
}

extension Sequence<UInt8> {
    /// The FNV-1a hash of the bytes: it tells texts apart, but guards against no attacker.
    package var fnv1a: UInt64 {
        // A buffer is read in place, and not by a call for each byte.
        withContiguousStorageIfAvailable { $0.hash } ?? hash
    }

    @inline(__always)
    private var hash: UInt64 {
        reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    package var hexDigits: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
