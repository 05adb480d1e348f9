// Bounds of this library that aren't for its users to choose, each with its reason.

extension HostedEffect {
    /// Sequences and groups that may be around an effect.
    static let nestingMax = 32
}

extension HostedKey {
    /// Bytes of an effect's full name, as JSON: it stands in every note about the effect.
    static let bytesMax = 200
}

extension StoredName {
    /// Bytes of a type's name that are stored as they are: rows repeat it.
    static let typeBytesMax = 64
}

extension HostedRun {
    /// Bytes of a handler's, machine's or instance's name: no instance's name has more.
    static let targetBytesMax = 265

    /// The greatest integer that JSON can say exactly.
    static let integerMax: Int64 = 1 << 53 - 1
}

extension StoredState {
    /// Members that are filled in at most.
    static var filledMax: Int { 64 }

    /// Members without a reader that a message lists.
    static var unreadMax: Int { 8 }
}

extension TypedDescriber {
    /// Bytes of JSON that serve as a name; a longer one is no name.
    static var nameBytesMax: Int { 80 }
}

extension MachineDescription {
    /// States that are kept at most: more don't fit into a drawing, nor into a reply.
    public static let statesMax = 256

    /// Transitions that are kept at most.
    public static let transitionsMax = 2_048

    /// Bytes of the examples of events, as JSON.
    public static let exampleBytesMax = 65_536

    /// Events that are tried on copies; states that are found later stay without arrows.
    static let triesMax = 2_048
}

extension StepBuffer {
    /// An output of more bytes than this gives its memory back.
    static let spareBytesMax = 1_024
}

extension RunReport {
    /// Failures that a report keeps; later ones are counted.
    static let failuresMax = 16
}

extension HostedClosure {
    /// Events that a closure may send ahead of their commit.
    static let inboxMax = 64
}

extension EffectLedger {
    /// How many effects may wait in one queue.
    package static var waitingMax: Int { 1_024 }

    /// How many live runs are looked through for an id, before there is an index: it costs a
    /// machine with one effect more than it saves.
    static var unindexedMax: Int { 8 }
}
