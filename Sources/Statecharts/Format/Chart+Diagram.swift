import CEL
import OrderedJSON
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
        var unknown: [String] = []
        for name in names {
            guard var state = self.state(named: name), state > 0 else {
                unknown.append(name)
                continue
            }
            while state > 0 {
                drawing.active.insert(state)
                state = states[Int(state)].parent
            }
        }
        return (drawing.draw(), unknown)
    }
}

/// A diagram of a chart in the making.
private struct ChartDrawing {
    private let chart: Chart
    var active: Set<Int32> = []

    init(_ chart: Chart) { self.chart = chart }

    mutating func draw() -> StateDiagram {
        var diagram = StateDiagram()
        for child in inner(0) {
            if chart.states[Int(child)].children.isEmpty {
                diagram.nodes.append(node(child))
            } else {
                diagram.groups.append(group(child))
            }
        }
        diagram.initial = chart.states[0].initial.targets.first.map(id)
        for index in chart.transitions.indices { diagram.links += links(index) }
        for (number, state) in chart.states.enumerated() where number > 0 && hasDefault(state) {
            for target in state.initial.targets {
                diagram.links.append(
                    StateDiagram.Link(from: id(Int32(number)), to: id(target), label: ""))
            }
        }
        return diagram
    }

    private func hasDefault(_ state: StateNode) -> Bool {
        state.isHistory || state.kind == .compound
    }

    /// The children with the history states, in document order.
    private func inner(_ index: Int32) -> [Int32] {
        (chart.states[Int(index)].children + chart.states[Int(index)].histories).sorted()
    }

    private func id(_ index: Int32) -> String { "s\(index)" }

    private func node(_ index: Int32) -> StateDiagram.Node {
        let state = chart.states[Int(index)]
        var label = state.key
        switch state.kind {
        case .shallowHistory: label += " (H)"
        case .deepHistory: label += " (H*)"
        default: break
        }
        let isEnd = state.kind == .final && state.parent == 0
        return StateDiagram.Node(
            id: id(index), label: label, kind: isEnd ? .terminal : .state,
            isActive: active.contains(index))
    }

    /// The recursion is bounded by the levels of states.
    private func group(_ index: Int32) -> StateDiagram.Group {
        let state = chart.states[Int(index)]
        var nodes = [node(index)]
        var groups: [StateDiagram.Group] = []
        for child in inner(index) {
            if chart.states[Int(child)].children.isEmpty {
                nodes.append(node(child))
            } else {
                groups.append(group(child))
            }
        }
        let label = state.kind == .parallel ? state.key + " (parallel)" : state.key
        return StateDiagram.Group(
            id: "g\(index)", label: label, nodes: nodes, links: [], groups: groups)
    }

    /// One arrow for each target; a transition without a target stays where it is. Those of the
    /// machine begin at each of its children that isn't final.
    private func links(_ index: Int) -> [StateDiagram.Link] {
        let transition = chart.transitions[index]
        let label = self.label(index)
        let sources =
            transition.source == 0
            ? chart.states[0].children.filter { chart.states[Int($0)].kind != .final }
            : [transition.source]
        return sources.flatMap { source in
            let targets = transition.targets.isEmpty ? [source] : transition.targets
            return targets.map {
                StateDiagram.Link(from: id(source), to: id($0), label: label)
            }
        }
    }

    private func label(_ index: Int) -> String {
        let transition = chart.transitions[index]
        var label = transition.descriptors.joined(separator: ", ")
        if label.isEmpty { label = delay(of: Int32(index)) ?? "always" }
        guard let condition = transition.condition?.program?.expression else { return label }
        return "\(label) [\(condition)]"
    }

    /// `after 30s` for a transition of a timer.
    private func delay(of index: Int32) -> String? {
        let source = chart.states[Int(chart.transitions[Int(index)].source)]
        guard let timer = source.timers.first(where: { $0.transitions.contains(index) }) else {
            return nil
        }
        switch timer.delay {
        case .constant(let value): return "after \(value.json?.string ?? "\(value)")"
        case .computed(let expression): return "after \(expression.program?.expression ?? "?")"
        }
    }
}
