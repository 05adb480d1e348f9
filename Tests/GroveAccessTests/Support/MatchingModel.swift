/// What patterns and grants mean, in a few lines that are obviously right and slow.
enum MatchingModel {
    /// Whether a text in ASCII matches a pattern.
    static func matches(_ pattern: Substring, _ text: Substring) -> Bool {
        switch (pattern.first, text.first) {
        case (nil, nil): true
        case ("*", nil): matches(pattern.dropFirst(), text)
        case ("*", _): matches(pattern.dropFirst(), text) || matches(pattern, text.dropFirst())
        case ("?", _?): matches(pattern.dropFirst(), text.dropFirst())
        case (let one?, let other?) where one == other:
            matches(pattern.dropFirst(), text.dropFirst())
        default: false
        }
    }

    /// A grant in its parts.
    struct Grant {
        var verbs: [String]
        var types: [String]
        var machine: String
        var instance: String

        var text: String {
            let types = self.types.isEmpty ? "" : "(\(self.types.joined(separator: ",")))"
            return "\(verbs.joined(separator: ","))\(types) \(machine)/\(instance)"
        }
    }

    /// Whether some grant has the verb for the name and the event's type.
    static func allows(
        _ grants: [Grant], of principal: String, _ verb: String, _ machine: String,
        _ instance: String, _ type: String?
    ) -> Bool {
        grants.contains { grant in
            let own = grant.instance.replacing("{principal}", with: principal)
            return grant.verbs.contains(verb) && matches(grant.machine[...], machine[...])
                && matches(own[...], instance[...])
                && (grant.types.isEmpty
                    || type.map { type in grant.types.contains { matches($0[...], type[...]) } }
                        == true)
        }
    }
}
