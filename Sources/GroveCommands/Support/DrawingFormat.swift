import ArgumentParser
import GroveClient

/// What `grove diagram` writes.
enum DrawingFormat: String, CaseIterable, ExpressibleByArgument {
    case mermaid
    case dot
    case svg

    /// The language in which the server is asked for the diagram; a reply has the graph besides.
    var language: DiagramFormat { self == .dot ? .dot : .mermaid }
}
