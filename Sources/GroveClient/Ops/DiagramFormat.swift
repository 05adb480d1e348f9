/// The language of a machine's diagram.
public enum DiagramFormat: String, Hashable, Sendable, CaseIterable {
    /// Mermaid's state diagrams.
    case mermaid
    /// DOT, of Graphviz.
    case dot
}
