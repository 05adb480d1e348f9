public import OrderedJSON

extension ConfigurationKey.Value {
    /// The value as in a configuration file.
    public var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .texts(let texts): .array(texts.map(JSONValue.string))
        case .flag(let flag): .bool(flag)
        case .integer(let number): .integer(Int64(number))
        }
    }

    /// The value for people, on one line: as in a flag.
    public var text: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ",")
        case .flag(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        }
    }
}

extension ConfigurationKey {
    /// The key's member in a configuration file: an object with a value and its explanation.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - origin: Its origin; `nil` to leave it out.
    public func member(_ value: Value, origin: ConfigurationOrigin? = nil) -> JSONObject {
        var object = JSONObject()
        object["value"] = value.json
        object["default"] = standard.json
        if let origin { object["origin"] = .string(origin.description) }
        if !unit.isEmpty { object["unit"] = .string(unit) }
        object["reload"] = .bool(isReloadable)
        object["reason"] = .string(reason)
        return object
    }
}
