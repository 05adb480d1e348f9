import GroveClient
import OrderedJSON

/// Effects as lines for people.
enum EffectLine {
    /// The names of the columns.
    static let header: [Table.Column] = [
        .init("effect", .accent), .init("what"), .init("id"), .init("phase"), .init("more", .faint),
    ]

    /// Number, kind and what it is about, id, phase, and the rest by name.
    static func columns(_ effect: EffectSummary, _ style: Style) -> [String] {
        var rest: [String] = []
        if let due = effect.due { rest.append("due \(style.due(due))") }
        if let attempt = effect.attempt, attempt > 1 { rest.append("attempt \(attempt)") }
        if let event = effect.event { rest.append("event \(event)") }
        if let child = effect.child { rest.append("child \(child)") }
        if let token = effect.token { rest.append("token \(token)") }
        if let reason = effect.reason { rest.append("reason \(reason)") }
        let work = [effect.kind, effect.name].compactMap { $0 }.joined(separator: " ")
        return [
            "#\(effect.run)", work, effect.id ?? "", effect.phase?.rawValue ?? "",
            rest.joined(separator: "  "),
        ]
    }

    /// What happened to an effect, as records tell it: the turn, number, kind and id, and the
    /// rest by name.
    static func text(_ note: JSONValue, _ style: Style) -> String {
        guard let members = note.object else { return note.description }
        var words: [String] = []
        for name in ["type", "effect", "kind", "name", "id"] {
            guard let value = members[name] else { continue }
            let text = value.string ?? value.description
            words.append(name == "effect" ? "#\(text)" : text)
        }
        for member in members
        where !["type", "effect", "kind", "name", "id"].contains(member.name) {
            if style.isTerminal, member.name == "due_ms", let due = member.value.integer {
                words.append("due \(HumanTime.relative(due, now: HumanTime.now))")
                continue
            }
            words.append("\(member.name)=\(member.value.string ?? member.value.description)")
        }
        return words.joined(separator: " ")
    }

    /// What became of an effect.
    static func text(_ outcome: EffectOutcome) -> String {
        var words = ["#\(outcome.run)"]
        if let id = outcome.id { words.append(id) }
        if let instance = outcome.instance { words.append("of \(instance)") }
        words.append(outcome.end?.rawValue ?? "ended")
        if let reason = outcome.reason { words.append("(\(reason))") }
        return words.joined(separator: " ")
    }
}
