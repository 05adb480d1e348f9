import CEL
import OrderedJSON
import Transducers

/// A diagram of a chart in the making.
struct ChartDrawing {
    /// How much is drawn. What comes later in the definition is left out.
    struct Room {
        var states: Int
        var links: Int
        /// Of events and guards, as UTF-8.
        var textBytes: Int

        /// Everything.
        static let unlimited = Room(states: .max, links: .max, textBytes: .max)
        /// As much as a reply has room for.
        static let bounded = Room(
            states: ChartLimits.drawnStatesMax, links: ChartLimits.drawnLinksMax,
            textBytes: ChartLimits.drawnTextBytesMax)
    }

    private let chart: Chart
    private let room: Room
    private var active: Set<Int32> = []
    private var links: [StateDiagram.Link] = []
    /// The delays of the timers' transitions.
    private var delays: [Int32: Literal] = [:]
    private var textBytes = 0
    /// Whether something was left out.
    private(set) var isPartial = false

    init(_ chart: Chart, _ room: Room = .unlimited) {
        self.chart = chart
        self.room = room
    }

    /// Colors states and those around them.
    ///
    /// - Parameter names: States by their ids or dotted paths.
    /// - Returns: The names that aren't those of states.
    @discardableResult
    mutating func activate(_ names: [String]) -> [String] {
        var unknown: [String] = []
        for name in names {
            guard var state = chart.state(named: name), state > 0 else {
                unknown.append(name)
                continue
            }
            while state > 0, active.insert(state).inserted {
                state = chart.states[Int(state)].parent
            }
        }
        return unknown
    }

    mutating func draw() -> StateDiagram {
        var diagram = StateDiagram()
        isPartial = chart.states.count - 1 > room.states
        for child in inner(0) {
            if chart.states[Int(child)].children.isEmpty {
                diagram.nodes.append(node(child))
            } else {
                diagram.groups.append(group(child))
            }
        }
        diagram.initial = chart.states[0].initial.targets.first { isDrawn($0) }.map(id)
        let tops = chart.states[0].children.filter {
            isDrawn($0) && chart.states[Int($0)].kind != .final
        }
        let drawn = chart.states[...min(room.states, chart.states.count - 1)]
        for state in drawn {
            for timer in state.timers {
                for transition in timer.transitions { delays[transition] = timer.delay }
            }
        }
        for index in chart.transitions.indices {
            if isFull { break }
            draw(index, tops)
        }
        for (number, state) in drawn.enumerated() where number > 0 && hasDefault(state) {
            for target in state.initial.targets {
                draw(from: Int32(number), to: target, .initial, event: "")
            }
        }
        if isFull { isPartial = true }
        diagram.links = links
        return diagram
    }

    private func hasDefault(_ state: StateNode) -> Bool {
        state.isHistory || state.kind == .compound
    }

    // MARK: States

    /// States are numbered in document order, so the states around a drawn one are drawn too.
    private func isDrawn(_ index: Int32) -> Bool { index <= room.states }

    /// The children with the history states, in document order.
    private func inner(_ index: Int32) -> [Int32] {
        (chart.states[Int(index)].children + chart.states[Int(index)].histories)
            .filter(isDrawn).sorted()
    }

    private func id(_ index: Int32) -> String { "s\(index)" }

    private func node(_ index: Int32) -> StateDiagram.Node {
        let state = chart.states[Int(index)]
        var label = state.key
        var kind = StateDiagram.Node.Kind.state
        switch state.kind {
        case .shallowHistory:
            label += " (H)"
            kind = .history(isDeep: false)
        case .deepHistory:
            label += " (H*)"
            kind = .history(isDeep: true)
        case .final: kind = state.parent == 0 ? .terminal : .final
        default: break
        }
        return StateDiagram.Node(
            id: id(index), label: label, kind: kind, isActive: active.contains(index))
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
        let isParallel = state.kind == .parallel
        return StateDiagram.Group(
            id: "g\(index)", isParallel ? .parallel : .compound,
            label: isParallel ? state.key + " (parallel)" : state.key, own: id(index),
            nodes: nodes, links: [], groups: groups)
    }

    // MARK: Transitions

    private var isFull: Bool {
        links.count >= room.links || textBytes >= room.textBytes
    }

    /// Draws one arrow for each target; a transition without a target stays where it is. Those of
    /// the machine begin at each of its children that isn't final, the `tops`.
    private mutating func draw(_ index: Int, _ tops: [Int32]) {
        let transition = chart.transitions[index]
        guard isDrawn(transition.source) else { return isPartial = true }
        let condition = transition.condition?.text
        var kind = StateDiagram.Link.Kind.event
        var event = transition.descriptors.joined(separator: ", ")
        if event.isEmpty {
            let delay = delay(of: Int32(index))
            kind = delay == nil ? .always : .after
            event = delay ?? "always"
        }
        let targets = transition.targets.filter(isDrawn)
        if targets.count < transition.targets.count { isPartial = true }
        guard !targets.isEmpty || transition.targets.isEmpty else { return }
        for source in transition.source == 0 ? tops : [transition.source] {
            for target in targets.isEmpty ? [source] : targets {
                guard draw(from: source, to: target, kind, event: event, condition: condition)
                else { return }
            }
        }
    }

    /// Draws an arrow, unless there is no room.
    ///
    /// - Returns: Whether it is drawn.
    @discardableResult
    private mutating func draw(
        from: Int32, to: Int32, _ kind: StateDiagram.Link.Kind, event: String,
        condition: String? = nil
    ) -> Bool {
        let bytes = event.utf8.count + (condition?.utf8.count ?? 0)
        guard isDrawn(from), isDrawn(to), !isFull, bytes <= room.textBytes - textBytes else {
            isPartial = true
            return false
        }
        textBytes += bytes
        links.append(
            StateDiagram.Link(
                from: id(from), to: id(to), kind, event: event, condition: condition))
        return true
    }

    /// `after 30s` for a transition of a timer.
    private func delay(of index: Int32) -> String? {
        guard let delay = delays[index] else { return nil }
        switch delay {
        case .constant(let value): return "after \(value.json?.string ?? "\(value)")"
        case .computed(let expression): return "after \(expression.text)"
        }
    }
}
