public import CEL

/// The surroundings of one step: everything that an expression or an action may depend on.
public struct ChartEnvironment: Sendable {
    /// The time of the step.
    public var now: CELTimestamp
    /// A number from 0 up to 1.
    public var rand: Double
    /// The instance's name without the machine's.
    public var id: String
    /// The machine's name.
    public var machine: String
    /// The number of committed steps of the instance.
    public var version: Int64
    /// The address of the machine that invoked this one.
    public var parent: String?
    /// Whether an address is known; nil if all are taken as known.
    public var directory: (any ChartDirectory)?
    /// Whether a step lists the states that it enters.
    var listsEntered = false

    /// The surroundings of a step.
    public init(
        now: CELTimestamp, rand: Double = 0, id: String, machine: String, version: Int64 = 0,
        parent: String? = nil, directory: (any ChartDirectory)? = nil
    ) {
        self.now = now
        self.rand = rand
        self.id = id
        self.machine = machine
        self.version = version
        self.parent = parent
        self.directory = directory
    }

    /// The instance's address.
    public var address: String { "\(machine)/\(id)" }

    var selfValue: CELValue {
        var map = CELMap()
        map["id"] = .string(id)
        map["machine"] = .string(machine)
        map["v"] = .int(version)
        map["address"] = .string(address)
        return .map(map)
    }
}
