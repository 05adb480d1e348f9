import GroveServer
import OrderedJSON

extension ServerConfiguration {
    /// Every key with its value, unit and origin: a table for people, or a configuration file with
    /// one key per line.
    func lines(asJSON: Bool) -> [String] {
        let keys = zip(ConfigurationKey.all, settings)
        guard asJSON else {
            let rows = keys.map { key, setting in
                let text = ConfigurationKey.text(setting.value)
                return [key.name, text.isEmpty ? "-" : text, key.unit, "\(setting.origin)"]
            }
            return Table.lines([["KEY", "VALUE", "UNIT", "FROM"]] + rows)
        }
        let members = keys.map { key, setting in
            let member = JSONValue.object(key.member(setting.value, origin: setting.origin))
            return "\(JSONValue.string(key.name)):\(member)"
        }
        return ["{"] + members.dropLast().map { $0 + "," } + members.suffix(1) + ["}"]
    }
}
