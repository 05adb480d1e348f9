/// The origin of an event that an instance sends to another one, or to itself.
public struct EventOrigin: Sendable {
    /// The full name of the sender.
    public let sender: String
    /// The name of the sender's effect that sends it.
    public let key: HostedKey
    /// The name of the recipient's effect that started the sender; `nil` if the sender is no child
    /// of the recipient.
    public let child: HostedKey?
    /// Whether the sender started the recipient.
    public let isParent: Bool

    /// An origin.
    public init(sender: String, key: HostedKey, child: HostedKey?, isParent: Bool) {
        self.sender = sender
        self.key = key
        self.child = child
        self.isParent = isParent
    }
}
