import OrderedJSON

/// Another name for an effect that continues, of a machine that was changed meanwhile.
public struct HostedRename: Sendable, Hashable, Codable {
    /// The name so far.
    public var from: HostedKey
    /// The new name.
    public var to: HostedKey
    /// The event of a timer under its new name; `nil` if that stays.
    public var event: JSONValue?

    /// A rename.
    public init(from: HostedKey, to: HostedKey, event: JSONValue? = nil) {
        self.from = from
        self.to = to
        self.event = event
    }
}
