import GroveClient
import OrderedJSON

/// Formats the records of one subscription for people, one line per event: the event, the state if
/// it changed, outputs and effects.
struct StepLines {
    /// The kinds to subscribe to, so that one record describes a whole step.
    static let kinds: [Record.Kind] = [.lifecycle, .effect, .trace]

    private let style: Style
    /// The last instance that became done: the line of its event shows it.
    private var ended: (name: String, version: Int64?)?

    init(_ style: Style) { self.style = style }

    /// The text of a record; `nil` when the line of its step includes it.
    mutating func text(_ record: Record) -> String? {
        let hasCause = record.value("cause") != nil
        switch record.kind {
        case .trace: return step(record)
        case .effect where hasCause: return nil
        case .lifecycle where hasCause && record.value("lifecycle") == "done":
            ended = (record.name, record.version)
            return nil
        case .lifecycle: return lifecycle(record)
        case .effect: return EffectLine.text(record.data ?? .null, style)
        case .output, .state, nil:
            let kind = record.value("kind")?.string ?? ""
            return "\(kind) \(RecordLine.content(record, style))"
        }
    }

    private mutating func step(_ record: Record) -> String {
        func values(_ name: StaticString) -> [JSONValue] { record.value(name)?.array ?? [] }
        var words = [StepLines.event(record.value("event") ?? .null)]
        let (before, after) = (record.value("before"), record.value("after"))
        if let after, after != before { words[0] += " -> \(after)" }
        words += values("outputs").map { "output \($0)" }
        words += values("effects").map { EffectLine.text($0, style) }
        if let ended, ended.name == record.name, ended.version == record.version {
            words.append("done")
        }
        ended = nil
        return words.joined(separator: "  ")
    }

    private func lifecycle(_ record: Record) -> String {
        let word = record.value("lifecycle")?.string ?? ""
        return word + (record.value("reason")?.string.map { ": \($0)" } ?? "")
    }

    /// An event's name, followed by its members.
    static func event(_ event: JSONValue) -> String {
        if let name = event.string { return name }
        guard let members = event.object, let type = members["type"]?.string else {
            return event.description
        }
        let rest = members.filter { $0.name != "type" }.map { "\($0.name)=\($0.value)" }
        return ([type] + rest).joined(separator: " ")
    }
}
