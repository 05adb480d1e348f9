import GroveAccess
import GroveWire

/// The records that a subscription selects; every member narrows it (protocol.md, "subscribe").
public struct Selection: Sendable {
    /// The kinds of records.
    public struct Kinds: OptionSet, Sendable {
        /// One bit per kind.
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let output = Kinds(rawValue: 1)
        public static let state = Kinds(rawValue: 2)
        public static let effect = Kinds(rawValue: 4)
        /// Created, done, stopped, deleted; suspended, set aside, resumed.
        public static let lifecycle = Kinds(rawValue: 8)
        public static let trace = Kinds(rawValue: 16)
        /// The kinds of a selection without `kind`: all but `trace`.
        public static let standard: Kinds = [.output, .state, .effect, .lifecycle]
    }

    /// The machines; `nil` for all.
    public var machine: Glob?
    /// The instances, by the name after the slash; `nil` for all.
    public var instance: Glob?
    /// The outputs, by their type; other kinds aren't affected; `nil` for all.
    public var type: Glob?
    public var kinds: Kinds = .standard
    /// What the subscriber may see of it; `nil` for all.
    package var scopes: [NameScope]?

    public init() {}

    /// Whether the subscriber may see an instance's records, by the two parts of its name.
    func grants(
        machine: UnsafeBufferPointer<UInt8>, instance: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let scopes else { return true }
        return scopes.contains {
            $0.machine.matches(machine) && $0.instance.matches(instance)
        }
    }

    /// Whether it can select records of an instance.
    public func includes(_ name: InstanceName) -> Bool {
        if machine == nil && instance == nil && scopes == nil { return true }
        let utf8 = name.text.utf8
        let slash = utf8.index(utf8.startIndex, offsetBy: name.machineLength)
        if let machine, !machine.matches(utf8[..<slash]) { return false }
        if let instance, !instance.matches(utf8[utf8.index(after: slash)...]) { return false }
        guard let scopes else { return true }
        return scopes.contains {
            $0.machine.matches(utf8[..<slash])
                && $0.instance.matches(utf8[utf8.index(after: slash)...])
        }
    }

    /// As above, for the two parts of the name.
    func includes(
        machine name: UnsafeBufferPointer<UInt8>, instance: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if let machine, !machine.matches(name) { return false }
        guard self.instance?.matches(instance) ?? true else { return false }
        return grants(machine: name, instance: instance)
    }

    /// Whether it selects outputs of this type, if it selects outputs.
    public func includes(outputType: String?) -> Bool {
        guard let type else { return true }
        guard let outputType else { return false }
        return type.matches(outputType.utf8)
    }
}
