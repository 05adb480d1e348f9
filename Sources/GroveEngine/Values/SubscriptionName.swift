/// A client's name for a subscription, unique in its connection; compared byte by byte.
public struct SubscriptionName: Hashable, Sendable {
    /// 1 to 200 bytes of UTF-8.
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
