/// The widths of texts in a monospace font, in cells: so a layout needs no font. A terminal's
/// columns are the same.
package enum TextCells {
    /// The text on one line, without what XML can't have, cut to a number of cells.
    static func shown(_ text: String, cellsMax: Int = DiagramLimits.textCellsMax) -> String {
        var shown = ""
        var cells = 0
        for character in clean(text) {
            let width = width(of: character)
            if cells + width > cellsMax {
                // The last characters give way to the ellipsis.
                while cells > cellsMax - 1, let last = shown.popLast() {
                    cells -= Self.width(of: last)
                }
                return shown + "…"
            }
            let scalars = character.unicodeScalars.prefix(DiagramLimits.scalarsPerCellMax)
            shown.unicodeScalars.append(contentsOf: scalars)
            cells += width
        }
        return shown
    }

    /// The cells of a text.
    package static func count(_ text: String) -> Int {
        text.reduce(0) { $0 + width(of: $1) }
    }

    /// The text with blanks for newlines and other controls, and a mark for what XML 1.0 forbids
    /// (section 2.2).
    static func clean(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x9, 0xA, 0xD, 0x85, 0x2028, 0x2029: result.append(" ")
            case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF, 0x61C, 0x200E, 0x200F, 0x202A...0x202E,
                0x2066...0x2069:
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether a common font may draw some of the text wider or narrower than its cells: no
    /// monospace font has the scripts from Hebrew to Cherokee, and others are taken from elsewhere.
    static func mayDiffer(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x590...0x10FF, 0x1160...0x1DFF, 0xA4D0...0xA95F, 0xA980...0xABFF, 0xD7A4...0xD7FF,
                0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10000...0x1EFFF:
                true
            default: false
            }
        }
    }

    /// The cells of one character.
    package static func width(of character: Character) -> Int {
        var widest = 0
        for scalar in character.unicodeScalars.prefix(DiagramLimits.scalarsPerCellMax) {
            widest = max(widest, width(of: scalar))
        }
        return widest
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar.value) ? 2 : 1
        }
    }

    /// Whether a scalar takes two cells (Unicode Standard Annex 11, `W` and `F`), in whole blocks.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F000...0x1FAFF,
            0x20000...0x3FFFD, 0x231A...0x231B, 0x23E9...0x23F3, 0x2614...0x2615,
            0x26A1...0x26A1, 0x2705...0x2705, 0x274C...0x274C, 0x2B50...0x2B50:
            true
        default: false
        }
    }
}
