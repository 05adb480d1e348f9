public import OrderedJSON

/// A key's value and its origin.
public struct ConfigurationSetting: Sendable, Equatable {
    /// The key's name.
    public let key: String
    /// The value.
    public let value: JSONValue
    /// The origin of the value.
    public let origin: ConfigurationOrigin
}
