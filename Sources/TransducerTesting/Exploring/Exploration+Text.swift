import Transducers

extension Exploration: CustomStringConvertible {
    /// A summary: how many states and transitions, then each kind of oddity with what belongs to
    /// it, and the way to each dead end.
    public var description: String {
        var lines = [
            "\(count(reachable.count, "state")) reachable, "
                + "\(count(transitions.count, "transition"))",
            list("terminal", terminal.map(ValueText.label)),
            list("dead ends", deadEnds.map(withPath)),
            list("unreachable", unreachable.map(ValueText.label)),
        ]
        lines.append(
            list(
                "unhandled",
                unhandled.map {
                    "\(ValueText.label($0.event)) in \(ValueText.label($0.state)): \($0.reason)"
                }))
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
