public import Transducers

extension Chart {
    /// The diagram of the states and transitions, for Mermaid and Graphviz.
    ///
    /// A compound or parallel state is a group with a node of its own, to which transitions to and
    /// from the state itself lead. History states are nodes with an `H`, and `H*` for deep ones.
    public var diagram: StateDiagram {
        var drawing = ChartDrawing(self)
        return drawing.draw()
    }

    /// The diagram with active states, and those around them, colored.
    ///
    /// - Parameter names: States by their ids or dotted paths.
    /// - Returns: The diagram, and the names that aren't those of states.
    public func diagram(
        active names: [String]
    ) -> (diagram: StateDiagram, unknown: [String]) {
        var drawing = ChartDrawing(self)
        let unknown = drawing.activate(names)
        return (drawing.draw(), unknown)
    }
}
