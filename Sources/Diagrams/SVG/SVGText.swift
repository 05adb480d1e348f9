/// The text of an SVG file in the making.
struct SVGText {
    private(set) var bytes: [UInt8] = []

    /// Appends markup as it is.
    mutating func append(_ markup: StaticString) {
        markup.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a text that is no markup, with everything escaped that has a meaning in XML 1.0, in
    /// contents and in attributes.
    mutating func appendEscaped(_ text: String) {
        for byte in TextCells.clean(text).utf8 {
            switch byte {
            case UInt8(ascii: "&"): append("&amp;")
            case UInt8(ascii: "<"): append("&lt;")
            case UInt8(ascii: ">"): append("&gt;")
            case UInt8(ascii: "\""): append("&quot;")
            case UInt8(ascii: "'"): append("&#39;")
            default: bytes.append(byte)
            }
        }
    }

    /// Appends the width of a text that a font may draw otherwise than in cells: a viewer then fits
    /// it. Texts of the scripts of a monospace font, and of characters that take two cells, need
    /// none.
    mutating func fit(_ text: String, font: Double) {
        guard TextCells.mayDiffer(text) else { return }
        attribute("textLength", DiagramMetrics.textWidth(text, font: font))
        append(" lengthAdjust=\"spacingAndGlyphs\"")
    }

    /// Appends ` name="value"`.
    mutating func attribute(_ name: StaticString, _ value: String) {
        append(" ")
        append(name)
        append("=\"")
        appendEscaped(value)
        append("\"")
    }

    /// Appends ` name="value"` with at most two decimals.
    mutating func attribute(_ name: StaticString, _ value: Double) {
        append(" ")
        append(name)
        append("=\"")
        append(number: value)
        append("\"")
    }

    /// Appends a number with at most two decimals.
    mutating func append(number: Double) {
        let hundredths = Int((number * 100).rounded())
        if hundredths < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        bytes.append(contentsOf: "\(whole)".utf8)
        guard rest > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(rest / 10))
        if rest % 10 > 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest % 10)) }
    }

    /// Appends a letter of path data and points.
    mutating func append(_ letter: StaticString, _ points: Diagram.Point...) {
        append(letter)
        for (index, point) in points.enumerated() {
            if index > 0 { append(" ") }
            append(number: point.x)
            append(" ")
            append(number: point.y)
        }
    }

    /// Appends `<title>text</title>`, of which browsers make a tooltip, and screen readers a name.
    mutating func title(_ text: String) {
        append("<title>")
        let shown = text.unicodeScalars.prefix(DiagramLimits.tooltipScalarsMax)
        appendEscaped(String(String.UnicodeScalarView(shown)))
        append("</title>")
    }
}
