/// Writes drawings as SVG 1.1: a file, or an element for a page.
///
/// Every node is a group with `data-node`, every path and every line of a label has `data-edge`
/// with the ids of its edges; several are separated by blanks. A page lights a state by the class
/// `lit` on its group. Colors are the variables `--diagram-…` of CSS, for light and dark pages.
/// Every text is escaped, and what XML forbids is replaced.
public enum DiagramSVG {
    /// The bytes of a drawing in UTF-8, ending in a newline. The same drawing has the same bytes.
    ///
    /// - Parameters:
    ///   - title: What the drawing shows, for tooltips and screen readers.
    ///   - lit: The ids of nodes that have the class `lit`: active states.
    ///   - litEdges: The ids of edges whose paths have the class `lit`.
    ///   - hasStyles: Whether the style sheet is part of the file. A page that has rules of its own
    ///     can do without.
    public static func write(
        _ diagram: Diagram, title: String, lit: Set<String> = [], litEdges: Set<String> = [],
        hasStyles: Bool = true
    ) -> [UInt8] {
        var text = SVGText()
        text.append("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"diagram\" role=\"img\"")
        text.attribute("width", diagram.width)
        text.attribute("height", diagram.height)
        text.append(" viewBox=\"0 0 ")
        text.append(number: diagram.width)
        text.append(" ")
        text.append(number: diagram.height)
        text.append("\" fill=\"none\" stroke-width=\"1.3\" font-size=\"13\"")
        text.append(" font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\">\n")
        text.title(title)
        text.append("\n")
        if hasStyles {
            text.append("<style>\n")
            text.append(DiagramStyle.sheet)
            text.append("</style>\n")
        }
        for box in diagram.boxes { text.append(box, isLit: lit.contains(box.node)) }
        for separator in diagram.separators { text.append(separator) }
        for mark in diagram.marks { text.append(mark) }
        for path in diagram.paths {
            text.append(path, isLit: path.edges.contains(where: litEdges.contains))
        }
        for label in diagram.labels { text.append(label) }
        text.append("</svg>\n")
        return text.bytes
    }
}
