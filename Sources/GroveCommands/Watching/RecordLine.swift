import GroveClient
import OrderedJSON

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A record as a line for people.
enum RecordLine {
    /// Time, instance, version, kind, and what happened, in columns that stay where they are as
    /// long as names are of usual length.
    static func text(_ record: Record, _ style: Style, isWide: Bool = false) -> String {
        let kind = record.isSnapshot ? "snapshot" : record.value("kind")?.string ?? ""
        return line(
            head(record, style) + [
                Cell(kind, 11, .accent), Cell(happening(record, style), 0, .plain),
            ], style, isWide: isWide)
    }

    /// The same for a line that tells all of a step.
    static func text(
        _ record: Record, tells text: String, _ style: Style, isWide: Bool
    ) -> String {
        line(head(record, style) + [Cell(text, 0, .plain)], style, isWide: isWide)
    }

    private struct Cell {
        let text: String
        let width: Int
        let tone: Style.Tone

        init(_ text: String, _ width: Int, _ tone: Style.Tone) {
            self.text = text
            self.width = width
            self.tone = tone
        }
    }

    private static func head(_ record: Record, _ style: Style) -> [Cell] {
        let time = style.clock(record.at ?? "")
        return [
            Cell(time, time.isEmpty ? 0 : style.isTerminal ? 14 : 26, .faint),
            Cell(record.name, 22, .strong),
            Cell(record.version.map { "v\($0)" } ?? "", style.isTerminal ? 6 : 8, .plain),
        ]
    }

    /// The cells side by side, on a terminal no wider than that.
    private static func line(_ cells: [Cell], _ style: Style, isWide: Bool) -> String {
        var room = Int.max
        if style.isTerminal, !isWide, let size = TerminalSize.of(STDOUT_FILENO) {
            room = size.columns
        }
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

    static func happening(_ record: Record, _ style: Style) -> String {
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
