/// What one request asks for: names and flags, no data. Bytes of its line, valid while that is.
package struct AccessQuestion {
    /// The name that the request is about.
    package var target: AccessTarget
    /// The type of its event; `nil` for none, and for an event that has no type.
    package var eventType: UnsafeRawBufferPointer?
    /// Whether a `ping` asks for the server's health.
    package var wantsHealth = false
    /// Whether the connection is one of this machine: loopback or a Unix socket.
    package var isLocal = false

    /// A question about a name.
    package init(_ target: AccessTarget, eventType: UnsafeRawBufferPointer? = nil) {
        self.target = target
        self.eventType = eventType
    }

    /// A question about nothing in particular.
    package init() { target = .none }
}
