/// Why an instance, or every instance of a machine, takes no events for now. Its effects and
/// timers sleep meanwhile, and go on when it is let go.
public struct Hold: Sendable, Equatable {
    /// Who holds it. The raw value is what stands on disk.
    public enum Kind: UInt8, Sendable {
        /// An operator, with `suspend`, until `resume`.
        case suspended = 1
        /// The server itself, because its steps have ended the process: until `retry` or
        /// `resume`, or until another version of the machine is loaded.
        case setAside = 2
    }

    /// Who holds it.
    public var kind: Kind
    /// Since when.
    public var since: Timestamp
    /// Why, in words; `nil` where nobody said. At most ``Limits/effectReasonBytesMax`` bytes.
    public var reason: String?
    /// Of what was set aside, the version of the machine whose step has ended the process; else
    /// empty. Stays when an operator suspends it.
    public var definitionVersion = ""

    /// Whether code of the machine may end the process when it is run for what is held: then none
    /// is, not even to read an event or a state.
    public var hasTrapped: Bool { kind == .setAside || !definitionVersion.isEmpty }

    /// Puts a hold together.
    public init(
        kind: Kind, since: Timestamp, reason: String? = nil, definitionVersion: String = ""
    ) {
        self.kind = kind
        self.since = since
        self.reason = reason
        self.definitionVersion = definitionVersion
    }

    /// Appends the hold's bytes; what is held is a column of its own.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        ByteCoding.append(since.milliseconds, to: &bytes)
        bytes.append(reason == nil ? 0 : 1)
        if let reason { ByteCoding.append(reason.utf8, to: &bytes) }
        ByteCoding.append(definitionVersion.utf8, to: &bytes)
    }

    /// Reads the bytes of one hold, all of them.
    ///
    /// - Throws: `.corrupt` when they are none; never traps.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var reader = ByteReader(bytes)
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw .corrupt("a hold is of an unknown kind")
        }
        let since = Timestamp(milliseconds: try reader.integer())
        let reason = try reader.byte() == 0 ? nil : try reader.string()
        self.init(
            kind: kind, since: since, reason: reason, definitionVersion: try reader.string())
        guard reader.isAtEnd else { throw .corrupt("a hold has bytes behind its end") }
    }
}

extension Hold.Kind {
    /// The words of all kinds.
    public static let words = [Hold.Kind.suspended, .setAside].map(\.word)

    /// Reads ``word``.
    public init?(word: String) {
        switch word {
        case "suspended": self = .suspended
        case "set_aside": self = .setAside
        default: return nil
        }
    }

    /// The word on the wire.
    public var word: String {
        switch self {
        case .suspended: "suspended"
        case .setAside: "set_aside"
        }
    }
}
