import Diagrams

/// Formats rows of text in aligned columns.
enum Table {
    /// The header and the tone of a column.
    struct Column {
        let name: String
        let tone: Style.Tone

        init(_ name: String, _ tone: Style.Tone = .plain) {
            self.name = name
            self.tone = tone
        }
    }

    /// One line per row: columns two spaces apart, each as wide as its widest cell, except the
    /// last. Empty columns are left out.
    static func lines(_ rows: [[String]]) -> [String] {
        lines(rows, widths: widths(rows)) { cell, _ in cell }
    }

    /// The lines in a style; on a terminal with a header.
    static func lines(
        _ rows: [[String]], under columns: [Column], hasHeader: Bool = true, style: Style
    ) -> [String] {
        guard style.isTerminal || style.hasColor else { return lines(rows) }
        let rows = rows.map { $0.map(style.safe) }
        var widths = widths(rows)
        let showsHeader = hasHeader && style.isTerminal && !rows.isEmpty
        let header = widths.indices.map { $0 < columns.count ? columns[$0].name : "" }
        if showsHeader {
            for (column, width) in widths.enumerated() where width > 0 {
                widths[column] = max(width, TextCells.count(header[column]))
            }
        }
        let body = lines(rows, widths: widths) { cell, column in
            style.paint(cell, column < columns.count ? columns[column].tone : .plain)
        }
        guard showsHeader else { return body }
        return lines([header], widths: widths) { cell, _ in style.paint(cell, .faint) } + body
    }

    private static func widths(_ rows: [[String]]) -> [Int] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], TextCells.count(cell))
            }
        }
        return widths
    }

    private static func lines(
        _ rows: [[String]], widths: [Int], paint: (String, Int) -> String
    ) -> [String] {
        rows.map { row in
            var line = ""
            // Spaces that are written only before another cell.
            var gap = 0
            for (column, cell) in row.enumerated() where widths[column] > 0 {
                if column > 0, !line.isEmpty || gap > 0 { gap += 2 }
                if cell.isEmpty {
                    gap += widths[column]
                    continue
                }
                line += String(repeating: " ", count: gap) + paint(cell, column)
                gap = widths[column] - TextCells.count(cell)
            }
            return line
        }
    }

    /// Pads `text` with spaces at its end, to `width` columns.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - TextCells.count(text)))
    }
}
