/// Lays out graphs: a pure function, of which the same graph has the same result in every process.
///
/// The way: edges with equal ends are merged, and cut at the borders that they cross; cycles are
/// broken from the outside in; layers, their orders and the places in them are found from the
/// inside out, so that a node with nodes inside is a box with ports for the next level
/// (docs/internals/architecture.md). All is done from top to bottom and from left to right, and
/// what is nearer to 16:10 is taken. 64 states take some milliseconds, 256 some tens to hundreds.
public enum DiagramLayout {
    /// The drawing of a graph.
    ///
    /// - Throws: ``DiagramRefusal`` for a graph that is too large, or isn't one.
    public static func lay(_ graph: DiagramGraph) throws(DiagramRefusal) -> Diagram {
        let candidates = try lay(graph, along: [.down, .right])
        return distance(candidates[1]) < distance(candidates[0]) ? candidates[1] : candidates[0]
    }

    /// The drawings of a graph, one for each direction of layers.
    static func lay(
        _ graph: DiagramGraph, along flows: [Flow]
    ) throws(DiagramRefusal) -> [Diagram] {
        var nested = try NestedGraph(graph.namingAlternatives())
        nested.direct()
        let texts = DiagramTexts(nested)
        let ordered = try OrderedGraph(nested)
        return flows.map { flow in
            let sized = SizedGraph(ordered, texts, flow)
            return DiagramComposer(SizedGraph(ordered, texts, flow, after: sized)).compose()
        }
    }

    /// How far a drawing's shape is from 16:10, as a factor.
    private static func distance(_ diagram: Diagram) -> Double {
        let ratio = diagram.width / max(1, diagram.height) / 1.6
        return max(ratio, 1 / ratio)
    }
}
