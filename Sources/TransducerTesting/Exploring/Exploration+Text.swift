import Transducers

extension Exploration: CustomStringConvertible {
    /// A summary: the numbers of states and transitions, then the terminal states, the dead ends
    /// with the way to each, and the unreachable and unhandled ones.
    public var description: String {
        let lines = [
            "\(count(reachable.count, "state")) reachable, "
                + "\(count(transitions.count, "transition"))",
            list("terminal", terminal.map(ValueText.label)),
            list("dead ends", deadEnds.map(withPath)),
            list("unreachable", unreachable.map(ValueText.label)),
            list(
                "unhandled",
                unhandled.map {
                    "\(ValueText.label($0.event)) in \(ValueText.label($0.state)): \($0.reason)"
                }),
        ]
        return lines.joined(separator: "\n")
    }

    private func withPath(_ state: Machine.State) -> String {
        let path = shortestPath(to: state) ?? []
        let way =
            path.isEmpty
            ? "initial state" : "by " + path.map { ValueText.label($0) }.joined(separator: ", ")
        return "\(ValueText.label(state)) (\(way))"
    }

    private func count(_ number: Int, _ name: String) -> String {
        "\(number) \(name)\(number == 1 ? "" : "s")"
    }

    private func list(_ title: String, _ items: [String]) -> String {
        if items.isEmpty { return "\(title): none" }
        return "\(title):" + items.map { "\n    \($0)" }.joined()
    }
}
