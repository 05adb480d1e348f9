import OrderedJSON

/// An instance at one version: the answer to `create`, `get` and `await`.
public struct InstanceReply: Sendable {
    /// The version; 0 is that of a created instance before its first event.
    public let version: Int64
    /// The state at that version.
    public let state: JSONValue
    /// Whether the instance is done.
    public let isDone: Bool
    /// Its timers; empty for an old version, and after `create`.
    public let timers: [EffectSummary]
    /// Its effects without timers, at most about a hundred; empty for an old version, and after
    /// `create`. ``Client/effects(of:phase:after:limit:timeout:)`` returns them all.
    public let effects: [EffectSummary]
    /// Everything the server sent, such as `outputs`, `result`, `definition`.
    public let reply: Reply

    /// Reads the reply to a `create`, `get` or `await`.
    public init(_ reply: Reply) throws(ClientError) {
        version = try reply.fields.required("v", Fields.integer)
        state = reply.value("state") ?? .null
        isDone = reply.bool("done") ?? false
        timers = try reply.fields.items("timers") ?? []
        effects = try reply.fields.items("effects") ?? []
        self.reply = reply
    }

    /// The state as a value of a Swift type.
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it isn't one.
    public func state<State: Decodable>(as type: State.Type) throws(ClientError) -> State {
        try reply.fields.decode(type, "state")
    }
}
