/// A hold: an instance, or all instances of a machine, take no events for now. Their effects and
/// timers sleep, and continue after the release.
public struct Hold: Sendable, Equatable {
    /// The origin of a hold. Rows store the raw value.
    public enum Kind: UInt8, Sendable {
        /// An operator, with `suspend`, until `resume`.
        case suspended = 1
        /// The server, because its steps have ended the process: until `retry` or `resume`, or
        /// until another version of the machine is loaded.
        case setAside = 2
    }

    public var kind: Kind
    public var since: Timestamp
    /// The reason, if one was given. At most ``Limits/effectReasonBytesMax`` bytes.
    public var reason: String?
    /// If set aside: the version of the machine whose step has ended the process; else empty. Stays
    /// when an operator suspends the subject.
    public var definitionVersion = ""

    /// Whether code of the machine may end the process for the subject. Then none runs, not even to
    /// decode an event or a state.
    public var hasTrapped: Bool { kind == .setAside || !definitionVersion.isEmpty }

    package init(
        kind: Kind, since: Timestamp, reason: String? = nil, definitionVersion: String = ""
    ) {
        self.kind = kind
        self.since = since
        self.reason = reason
        self.definitionVersion = definitionVersion
    }

    /// Appends the hold's bytes; the subject is another column.
    public func encode(into bytes: inout [UInt8]) {
        bytes.append(kind.rawValue)
        ByteCoding.append(since.milliseconds, to: &bytes)
        bytes.append(reason == nil ? 0 : 1)
        if let reason { ByteCoding.append(reason.utf8, to: &bytes) }
        ByteCoding.append(definitionVersion.utf8, to: &bytes)
    }

    /// Decodes all bytes of one hold.
    ///
    /// - Throws: `.corrupt` for other bytes; never traps.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var reader = ByteReader(bytes)
        guard let kind = Kind(rawValue: try reader.byte()) else {
            throw .corrupt("a hold is of an unknown kind")
        }
        let since = Timestamp(milliseconds: try reader.integer())
        let reason = try reader.byte() == 0 ? nil : try reader.string()
        self.init(
            kind: kind, since: since, reason: reason, definitionVersion: try reader.string())
        guard reader.isAtEnd else { throw .corrupt("a hold has bytes after its end") }
    }
}

extension Hold.Kind {
    public static let words = [Hold.Kind.suspended, .setAside].map(\.word)

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
