import GroveClient
import OrderedJSON

/// Formats effects for people.
enum EffectLine {
    static let header: [Table.Column] = [
        .init("effect", .accent), .init("what"), .init("id"), .init("phase"), .init("more", .faint),
    ]

    /// An effect's number, kind with name, id, phase, and its other members by name.
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

    /// An effect as in a record: its change, number, kind, name and id, then its other members by
    /// name.
    static func text(_ effect: JSONValue, _ style: Style) -> String {
        guard let members = effect.object else { return effect.description }
        let first = ["type", "effect", "kind", "name", "id"]
        var words = first.compactMap { name in
            members[name].map { (name == "effect" ? "#" : "") + ($0.string ?? $0.description) }
        }
        for member in members where !first.contains(member.name) {
            if style.isTerminal, member.name == "due_ms", let due = member.value.integer {
                words.append("due \(HumanTime.relative(due, now: HumanTime.now))")
                continue
            }
            words.append("\(member.name)=\(member.value.string ?? member.value.description)")
        }
        return words.joined(separator: " ")
    }

    static func text(_ outcome: EffectOutcome) -> String {
        var words = ["#\(outcome.run)"]
        if let id = outcome.id { words.append(id) }
        if let instance = outcome.instance { words.append("of \(instance)") }
        words.append(outcome.end?.rawValue ?? "ended")
        if let reason = outcome.reason { words.append("(\(reason))") }
        return words.joined(separator: " ")
    }
}
