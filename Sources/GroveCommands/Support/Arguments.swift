import ArgumentParser
import GroveClient
import GroveWire

extension ServerAddress: ExpressibleByArgument {
    /// Reads the forms of ``ServerAddress/init(_:)``.
    public init?(argument: String) { self.init(argument) }
}

extension TLSOptions.Pin: ExpressibleByArgument {
    /// Reads the form of ``TLSOptions/Pin/init(_:)``.
    public init?(argument: String) { self.init(argument) }
}

extension CreationMode: ExpressibleByArgument {}
extension DiagramFormat: ExpressibleByArgument {}
extension ReplyDetail: ExpressibleByArgument {}
extension Record.Kind: ExpressibleByArgument {}
extension EffectPhase: ExpressibleByArgument {}
extension Settling: ExpressibleByArgument {}

extension AwaitCondition: ExpressibleByArgument {
    /// Reads `done`, or the name of a state.
    public init?(argument: String) {
        guard !argument.isEmpty else { return nil }
        self.init(argument)
    }

    /// The condition as an argument.
    public var defaultValueDescription: String { text }
}

extension Expectation: ExpressibleByArgument {
    /// Reads a version, `absent` or `exists`.
    public init?(argument: String) {
        switch argument {
        case "absent": self = .absent
        case "exists": self = .exists
        default:
            guard let version = Int64(argument), version >= 0 else { return nil }
            self = .version(version)
        }
    }
}

extension HoldSubject {
    /// An instance if the argument has a slash, otherwise a machine.
    init(argument: String) {
        self = argument.utf8.contains(UInt8(ascii: "/")) ? .instance(argument) : .machine(argument)
    }
}

extension SeriesStep: ExpressibleByArgument {}
