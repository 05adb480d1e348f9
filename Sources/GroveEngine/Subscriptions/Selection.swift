/// What a subscription is about; every part narrows it (protocol.md, "subscribe").
public struct Selection: Sendable {
    /// The kinds of records.
    public struct Kinds: OptionSet, Sendable {
        /// One bit a kind.
        public let rawValue: UInt8

        /// Wraps the bits.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Outputs.
        public static let output = Kinds(rawValue: 1)
        /// Changes of state.
        public static let state = Kinds(rawValue: 2)
        /// What happens to effects.
        public static let effect = Kinds(rawValue: 4)
        /// Created, done, stopped, deleted; suspended, set aside, resumed.
        public static let lifecycle = Kinds(rawValue: 8)
        /// Whole steps.
        public static let trace = Kinds(rawValue: 16)
        /// What a client gets that names no kinds: all but `trace`.
        public static let standard: Kinds = [.output, .state, .effect, .lifecycle]
    }

    /// Which machines; `nil` for all.
    public var machine: Glob?
    /// Which instances, by the name after the slash; `nil` for all.
    public var instance: Glob?
    /// Which outputs, by their type; other kinds are untouched by it; `nil` for all.
    public var type: Glob?
    /// Which kinds.
    public var kinds: Kinds = .standard

    /// Everything but traces.
    public init() {}

    /// Whether records of an instance can be meant at all.
    public func includes(_ name: InstanceName) -> Bool {
        if machine == nil && instance == nil { return true }
        let utf8 = name.text.utf8
        let slash = utf8.index(utf8.startIndex, offsetBy: name.machineLength)
        if let machine, !machine.matches(utf8[..<slash]) { return false }
        if let instance, !instance.matches(utf8[utf8.index(after: slash)...]) { return false }
        return true
    }

    /// The same for the two parts of its name.
    func includes(
        machine name: UnsafeBufferPointer<UInt8>, instance: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if let machine, !machine.matches(name) { return false }
        return self.instance?.matches(instance) ?? true
    }

    /// Whether an output of this type is meant, if outputs are.
    public func includes(outputType: String?) -> Bool {
        guard let type else { return true }
        guard let outputType else { return false }
        return type.matches(outputType.utf8)
    }
}
