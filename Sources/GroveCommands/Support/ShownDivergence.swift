import GroveEngine
import OrderedJSON

/// The first difference of an instance, in bounded memory.
struct ShownDivergence {
    private let to: String
    private let version: Int64
    private let sequence: JournalPosition
    private let what: String
    private let reason: String?
    private let event: Text?
    private let stored: Text?
    private let other: Text?

    /// A text as people and programs see it.
    private struct Text {
        let excerpt: String
        /// The text of the value; `nil` for a large one.
        private let whole: [UInt8]?

        init(_ excerpt: String, _ bytes: [UInt8]) {
            self.excerpt = excerpt
            whole = bytes.count <= ShownDivergence.valueBytesMax ? bytes : nil
        }

        /// The value; `nil` for a large one, and for what isn't JSON, which is shown as it is.
        var json: JSONValue? { whole.flatMap { try? JSONValue(parsing: $0, limits: .stored) } }
    }

    init(_ divergence: Replay.Divergence) {
        to = divergence.instance.text
        version = divergence.version
        sequence = divergence.sequence
        what = divergence.what
        reason = divergence.reason.map { TextPair.excerpt(Array($0.utf8)) }
        let evidence = divergence.evidence
        event = evidence?.event.map { Text(TextPair.excerpt($0), $0) }
        let pair = TextPair(evidence?.stored ?? [], evidence?.other ?? evidence?.stored ?? [])
        stored = (evidence?.stored).map { Text(pair.stored, $0) }
        other = evidence?.other.map { Text(pair.other, $0) }
    }

    /// The difference for people: what differs, then the event and both sides.
    func lines(_ style: Style) -> [String] {
        let reason = reason.map { ": \($0)" } ?? ""
        let first = style.safe("\(to) v\(version)  \(what)\(reason)")
        var lines = [style.paint("differs", .accent) + "  " + first]
        for (label, text) in [("event ", event), ("stored", stored), ("new   ", other)] {
            guard let text else { continue }
            lines.append("  \(label)  " + style.safe(text.excerpt))
        }
        return lines
    }

    /// The difference for programs.
    var json: JSONObject {
        var object: JSONObject = [
            "to": .string(to), "v": .integer(version), "journal_step": .integer(sequence),
            "what": .string(what),
        ]
        if let reason { object["reason"] = .string(reason) }
        for (name, text) in [("event", event), ("stored", stored), ("new", other)] {
            if let json = text?.json { object[name] = json }
        }
        return object
    }
}
