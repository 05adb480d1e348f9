/// The reasons why a graph isn't laid out. If several apply, the first in this list is thrown.
public enum DiagramRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than ``DiagramLimits/nodesMax`` nodes; the number of nodes.
    case tooManyNodes(Int)
    /// More than ``DiagramLimits/edgesMax`` edges; the number of edges.
    case tooManyEdges(Int)
    /// Two nodes have this id.
    case duplicateNode(String)
    /// The parent of a node is not in the graph.
    case unknownParent(node: String, parent: String)
    /// A node is inside itself.
    case circularParents(node: String)
    /// More than ``DiagramLimits/levelsMax`` nodes around a node.
    case tooDeep(node: String)
    /// An end of an edge is not in the graph.
    case unknownEnd(edge: String, node: String)
    /// Edges lead past too many nodes: more than ``DiagramLimits/passagesMax`` layers in total.
    case tooDense

    /// One sentence for people.
    public var description: String {
        switch self {
        case .tooManyNodes(let count):
            "the graph has \(count) nodes; \(DiagramLimits.nodesMax) can be drawn"
        case .tooManyEdges(let count):
            "the graph has \(count) edges; \(DiagramLimits.edgesMax) can be drawn"
        case .duplicateNode(let id): "two nodes have the id \(id)"
        case .unknownParent(let node, let parent):
            "the parent of \(node), \(parent), is not in the graph"
        case .circularParents(let node): "\(node) is inside itself"
        case .tooDeep(let node):
            "more than \(DiagramLimits.levelsMax) nodes are around \(node)"
        case .unknownEnd(let edge, let node):
            "an end of edge \(edge), \(node), is not in the graph"
        case .tooDense:
            "the edges of the graph lead past too many nodes: \(DiagramLimits.passagesMax) layers "
                + "of nodes can be passed in total"
        }
    }
}
