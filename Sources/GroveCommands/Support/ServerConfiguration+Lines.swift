import GroveServer
import OrderedJSON

extension ServerConfiguration {
    /// Every key with its value, unit and origin: a table for people, or a configuration file with
    /// one key per line.
    func lines(asJSON: Bool) -> [String] {
        guard asJSON else {
            let head = ["KEY", "VALUE", "UNIT", "FROM"]
            return Table.lines(
                [head]
                    + settings.map { setting in
                        let unit = ConfigurationKey.named(setting.key)?.unit ?? ""
                        let text = ConfigurationKey.text(setting.value)
                        return [
                            setting.key, text.isEmpty ? "-" : text, unit, "\(setting.origin)",
                        ]
                    })
        }
        let members = settings.compactMap { setting -> String? in
            guard let key = ConfigurationKey.named(setting.key) else { return nil }
            let member = JSONValue.object(key.member(setting.value, origin: setting.origin))
            return "\(JSONValue.string(key.name)):\(member)"
        }
        let last = members.count - 1
        return ["{"] + members.enumerated().map { $1 + ($0 == last ? "" : ",") } + ["}"]
    }
}
