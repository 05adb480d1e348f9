/// The subject of a hold: one instance, or a machine.
public enum HoldSubject: Hashable, Sendable {
    /// The instance of this name, which need not exist.
    case instance(InstanceName)
    /// All instances of this machine, including later ones.
    case machine(String)

    public var text: String {
        switch self {
        case .instance(let name): name.text
        case .machine(let name): name
        }
    }

    public var machine: String {
        switch self {
        case .instance(let name): name.machine
        case .machine(let name): name
        }
    }

    public init?(text: String) {
        if let name = InstanceName(text) {
            self = .instance(name)
        } else {
            var machine = text
            guard machine.withUTF8({ MachineName.isValid(UnsafeRawBufferPointer($0)) }) else {
                return nil
            }
            self = .machine(text)
        }
    }
}
