/// The bounds of drawings.
public enum DiagramLimits {
    /// Nodes of one drawing. A larger one can't be read, and takes seconds.
    public static let nodesMax = 512
    /// Edges of one drawing, before those with equal ends are merged.
    public static let edgesMax = 2048
    /// Layers that all edges of one drawing pass, one counted for each edge that leads to the next.
    /// Edges past many nodes can't be followed, and take seconds.
    public static let passagesMax = 60_000
    /// Nodes around one another.
    public static let levelsMax = 64
    /// Cells of a node's or an edge's text; the rest is in its tooltip.
    static let textCellsMax = 48
    /// Cells of a guard beside a long event; with fewer, the whole text is cut at its end.
    static let guardCellsMin = 12
    /// Unicode scalars of a tooltip.
    static let tooltipScalarsMax = 1000
    /// Lines of a label; the last one counts those that are left out.
    static let labelLinesMax = 5
    /// Characters of a grapheme cluster that count; a cluster may be of any length.
    static let scalarsPerCellMax = 8
    /// Rounds of moving nodes to layers nearer to their neighbours.
    static let layeringRoundsMax = 8
    /// Starts of the search for an order without crossings.
    static let startsMax = 80
    /// Pairs of sweeps of one start.
    static let sweepsMax = 12
    /// Segments of edges that all sweeps inside one node may visit. This bounds the time: small
    /// levels have all starts, large ones a few. With 140,000, 180 random flat graphs of 8 to 48
    /// nodes had 0.98 times the crossings of Graphviz; a million makes them fewer, and takes some
    /// 60 ms for 64 nodes.
    static let segmentVisitsMax = 140_000
}
