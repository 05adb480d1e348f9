/// Several arrows at once: `[.a, .b] => [.c, .d]` is exactly these four, in this order:
/// a => c, a => d, b => c, b => d.
///
/// A state that is listed twice counts once. An empty list makes no arrow.
public struct TransitionSet<S: StateType>: Hashable, Sendable {
    /// The arrows, by from-state and then by to-state as these were listed.
    public let transitions: [Transition<S>]

    /// The arrows from each pattern of `from` to each of `to`.
    public init(from: [StatePattern<S>], to: [StatePattern<S>]) {
        var transitions: [Transition<S>] = []
        var known: Set<Transition<S>> = []
        for from in from {
            for to in to {
                let transition = Transition(fromState: from, toState: to)
                if known.insert(transition).inserted { transitions.append(transition) }
            }
        }
        self.transitions = transitions
    }

    /// One arrow.
    public init(_ transition: Transition<S>) { transitions = [transition] }

    /// The narrowest arrow that covers all: `.any` on a side where they differ.
    public var hull: Transition<S> {
        Transition(
            fromState: Self.common(transitions.map(\.fromState)),
            toState: Self.common(transitions.map(\.toState)))
    }

    private static func common(_ patterns: [StatePattern<S>]) -> StatePattern<S> {
        guard let first = patterns.first, patterns.allSatisfy({ $0 == first }) else { return .any }
        return first
    }
}
