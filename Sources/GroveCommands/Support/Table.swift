/// Rows of text in aligned columns.
enum Table {
    /// One line a row: columns two spaces apart, each as wide as its widest cell, except for the
    /// last, which is as long as it is. Empty columns are left out.
    static func lines(_ rows: [[String]]) -> [String] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], cell.count)
            }
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() where widths[column] > 0 {
                if column > 0, !line.isEmpty { line += "  " }
                line += pad(cell, widths[column])
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// `text` with spaces behind it, up to `width` characters.
    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
