import OrderedJSON
import Transducers

extension JSONWriter {
    /// Appends the members `nodes` and `edges` of a drawing.
    mutating func members(of drawing: StateDiagram) {
        let nodes = FlatNode.all(of: drawing)
        let initial = Set(
            drawing.links.filter { $0.kind == .initial }.map(\.to) + [drawing.initial ?? ""])
        array("nodes", nodes) { writer, node in
            writer.object { writer in
                writer.member("id", node.id)
                writer.member("parent", node.parent)
                writer.member("kind", node.kind)
                writer.member("label", node.label)
                writer.flag("initial", initial.contains(node.id))
                writer.flag("active", node.isActive)
            }
        }
        array("edges", Array(drawing.allLinks.enumerated())) { writer, edge in
            writer.object { writer in
                writer.member("id", "e\(edge.offset)")
                writer.member("from", edge.element.from)
                writer.member("to", edge.element.to)
                if edge.element.kind != .initial, edge.element.kind != .always {
                    writer.member("event", edge.element.event)
                }
                writer.member("guard", edge.element.condition)
                writer.member("kind", edge.element.kind.rawValue)
            }
        }
    }

    /// Appends a member of any name that is an array; `write` writes one element.
    mutating func array<Element>(
        named name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        comma()
        string(name)
        literal(":[")
        for element in elements {
            comma()
            write(&self, element)
        }
        literal("]")
    }
}

/// A node of a drawing with the one around it.
private struct FlatNode {
    let id: String
    let parent: String?
    let kind: String
    let label: String
    let isActive: Bool

    /// All nodes, each before those inside it.
    static func all(of drawing: StateDiagram) -> [FlatNode] {
        var all: [FlatNode] = []
        append(drawing.nodes, drawing.groups, parent: nil, to: &all)
        return all
    }

    /// Groups are as deep as a machine's regions, which its code or its definition bounds.
    private static func append(
        _ nodes: [StateDiagram.Node], _ groups: [StateDiagram.Group], parent: String?,
        to all: inout [FlatNode]
    ) {
        for node in nodes where node.id != parent {
            all.append(FlatNode(node, kind: word(node.kind), parent: parent))
        }
        for group in groups {
            if let own = group.nodes.first(where: { $0.id == group.own }) {
                all.append(FlatNode(own, kind: group.kind.rawValue, parent: parent))
            } else {
                all.append(
                    FlatNode(
                        StateDiagram.Node(id: group.id, label: group.label, kind: .state),
                        kind: group.kind.rawValue, parent: parent))
            }
            append(group.nodes, group.groups, parent: group.own ?? group.id, to: &all)
        }
    }

    private init(_ node: StateDiagram.Node, kind: String, parent: String?) {
        id = node.id
        label = node.label
        isActive = node.isActive
        self.kind = kind
        self.parent = parent
    }

    private static func word(_ kind: StateDiagram.Node.Kind) -> String {
        switch kind {
        case .state: "state"
        case .terminal, .final: "final"
        case .any: "any"
        case .computed: "computed"
        case .history(let isDeep): isDeep ? "deep-history" : "history"
        }
    }
}
