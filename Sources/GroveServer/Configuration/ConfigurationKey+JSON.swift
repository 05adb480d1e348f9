public import OrderedJSON

extension ConfigurationKey {
    /// The key's member in a configuration file: an object with a value and its explanation.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - origin: Its origin; `nil` to leave it out.
    public func member(_ value: JSONValue, origin: ConfigurationOrigin? = nil) -> JSONObject {
        var object = JSONObject()
        object["value"] = value
        object["default"] = standard
        if let origin { object["origin"] = .string(origin.description) }
        if !unit.isEmpty { object["unit"] = .string(unit) }
        object["reload"] = .bool(isReloadable)
        object["reason"] = .string(reason)
        return object
    }

    /// A value for people, on one line: as in a flag.
    public static func text(_ value: JSONValue) -> String {
        value.string ?? value.array?.map(text).joined(separator: ",") ?? value.description
    }
}
