import Transducers

extension Replay {
    /// A difference between a machine and the journal.
    public struct Divergence: Sendable, Equatable {
        /// The parts of a step that differ.
        public struct Parts: OptionSet, Sendable, Hashable {
            public let rawValue: UInt8

            public init(rawValue: UInt8) { self.rawValue = rawValue }

            /// A state that can't be read, so that the instance isn't followed further.
            public static let unreadable = Parts(rawValue: 1)
            /// An event that was applied is refused, or fails.
            public static let refusal = Parts(rawValue: 2)
            /// The state after the step.
            public static let state = Parts(rawValue: 4)
            public static let outputs = Parts(rawValue: 8)
            /// Whether the instance is done.
            public static let end = Parts(rawValue: 16)
        }

        public let sequence: JournalPosition
        public let instance: InstanceName
        public let version: Int64
        public var parts: Parts = []
        /// The first of the differences, without any payload.
        public let what: String
        /// The reason of the machine for a refusal.
        public var reason: String?
        /// The event as the journal has it, and what the step made of it: only in a replay that
        /// tries other machines.
        public var evidence: Evidence?
    }

    /// What differs, with its payload.
    public struct Evidence: Sendable, Equatable {
        /// The event; `nil` for the creation.
        public var event: [UInt8]?
        /// The state or the list of outputs in the journal, as JSON.
        public var stored: [UInt8]
        /// Those of the other machine; `nil` if it has none.
        public var other: [UInt8]?
    }

    /// The reason why no step of an instance is replayed.
    public enum Obstacle: String, Sendable, CaseIterable {
        /// The journal doesn't hold the beginning of the instance.
        case noBeginning = "no_beginning"
        /// No machine of its name is there.
        case noMachine = "no_machine"
        /// A version of its machine that stored some of its states isn't there any more.
        case noVersion = "no_version"
        /// An old file doesn't say which version stored the state, and it can't be read.
        case unknownVersion = "unknown_version"
    }
}

extension [JournalRecord.Output] {
    /// The outputs as a list in JSON.
    var json: [UInt8] {
        var bytes = [UInt8(ascii: "[")]
        for (index, output) in enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += output.data
        }
        return bytes + [UInt8(ascii: "]")]
    }
}
