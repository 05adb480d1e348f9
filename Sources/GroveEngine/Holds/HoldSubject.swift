/// What is held: one instance, or all of a machine.
public enum HoldSubject: Hashable, Sendable {
    /// The instance of this name, whether there is one or not.
    case instance(InstanceName)
    /// All instances of this machine, and those to come.
    case machine(String)

    /// The name: `machine/instance`, or the machine's.
    public var text: String {
        switch self {
        case .instance(let name): name.text
        case .machine(let name): name
        }
    }

    /// The name of the machine, or of the instance's.
    public var machine: String {
        switch self {
        case .instance(let name): name.machine
        case .machine(let name): name
        }
    }

    /// Reads ``text``; `nil` when it is neither name.
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
