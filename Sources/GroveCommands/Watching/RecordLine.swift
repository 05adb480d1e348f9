import GroveClient
import OrderedJSON

/// Formats a record as a line for people.
enum RecordLine {
    private typealias Cell = (text: String, width: Int, tone: Style.Tone)

    /// Time, instance, version, kind and content, in columns that stay aligned for names of usual
    /// length.
    static func text(_ record: Record, _ style: Style, isWide: Bool = false) -> String {
        let kind = record.isSnapshot ? "snapshot" : record.value("kind")?.string ?? ""
        return line(
            head(record, style) + [(kind, 11, .accent), (content(record, style), 0, .plain)],
            style, isWide: isWide)
    }

    /// Time, instance, version and `text`, which describes a whole step.
    static func text(_ record: Record, step text: String, _ style: Style, isWide: Bool) -> String {
        line(head(record, style) + [(text, 0, .plain)], style, isWide: isWide)
    }

    private static func head(_ record: Record, _ style: Style) -> [Cell] {
        let time = style.clock(record.at ?? "")
        return [
            (time, time.isEmpty ? 0 : style.isTerminal ? 14 : 26, .faint),
            (record.name, 22, .strong),
            (record.version.map { "v\($0)" } ?? "", style.isTerminal ? 6 : 8, .plain),
        ]
    }

    /// Joins the cells; on a terminal cut to its width, unless `isWide`.
    private static func line(_ cells: [Cell], _ style: Style, isWide: Bool) -> String {
        var room = style.isTerminal && !isWide ? TerminalScreen.size?.columns ?? .max : .max
        var line = ""
        for cell in cells where room > 0 {
            let text = style.safe(cell.text).cut(to: room)
            room -= text.count
            let gap = min(room, max(cell.width > 0 ? 2 : 0, cell.width - text.count))
            room -= gap
            line += style.paint(text, cell.tone) + String(repeating: " ", count: gap)
        }
        return line
    }

    /// The content of a record without its time, instance, version and kind.
    static func content(_ record: Record, _ style: Style) -> String {
        func json(_ name: StaticString) -> String { record.value(name)?.description ?? "" }
        switch record.kind {
        case .output: return json("data")
        case .state:
            let before = json("before")
            return before.isEmpty ? json("after") : "\(before) -> \(json("after"))"
        case .lifecycle:
            let reason = record.value("reason")?.string.map { ": \($0)" } ?? ""
            return (record.value("lifecycle")?.string ?? "") + reason
        case .effect: return EffectLine.text(record.data ?? .null, style)
        case .trace, nil:
            let known = ["cur", "to", "v", "kind", "at", "sub"]
            let document = record.document
            return document.members(of: document.root).compactMap { name, value in
                let name = document.plainText(name)
                return known.contains(name) ? nil : "\(name)=\(document.plainText(value))"
            }.joined(separator: " ")
        }
    }
}
