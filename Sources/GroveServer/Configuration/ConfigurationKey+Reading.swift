import GroveEffects
import GroveEngine
public import OrderedJSON

extension ConfigurationKey {
    /// The allowed values with their unit, for people.
    public var expectation: String { kind.expectation + (unit.isEmpty ? "" : " \(unit)") }

    /// Parses the text of a flag or variable; `nil` when it isn't of the key's kind.
    public func value(_ text: String) -> JSONValue? {
        let value: JSONValue? =
            switch kind {
            case .text, .word: .string(text)
            case .texts where name == "secrets":
                .array(SecretGrant.split(text).map { .string($0) })
            case .texts: .array(text.split(separator: ",").map { .string(String($0)) })
            case .flag: text == "true" ? true : text == "false" ? false : nil
            case .integer: Int64(text).map(JSONValue.integer)
            }
        guard let value, kind.allows(value) else { return nil }
        return value
    }

    /// The key of this name.
    ///
    /// - Throws: The error of an unknown name, with the most similar key.
    static func known(
        _ name: String, at place: @autoclosure () -> String
    ) throws(ConfigurationProblem) -> ConfigurationKey {
        if let key = named(name) { return key }
        let meant = EditDistance.nearest(to: name, of: all.map(\.name)) { max(2, $0.count / 3) }
        let suggestion = meant.map { "did you mean \($0)? " } ?? ""
        throw ConfigurationProblem(
            key: name, "there is no such key; \(suggestion)\(ConfigurationSource.whereAll)", place()
        )
    }

    /// The error of a value that isn't of the key's kind; `shown` is the value for people.
    func problem(value shown: String, at place: String) -> ConfigurationProblem {
        ConfigurationProblem(key: name, "must be \(expectation), not \(shown)", place)
    }

    /// The most similar variable of a key: at most two letters differ, or one for keys of less than
    /// six letters. Other variables may belong to other programs: orchestrators set `GROVE_PORT`
    /// and the like for a service of that name.
    static func nearestVariable(to name: String) -> String? {
        EditDistance.nearest(to: name, of: all.map(\.variable)) {
            $0.count - "GROVE_".count < 6 ? 1 : 2
        }
    }

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
