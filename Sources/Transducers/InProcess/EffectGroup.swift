/// A part of a sequence: when all of it has succeeded, the next part follows. Confined to its
/// machine.
@usableFromInline
final class EffectGroup<Event, Env> {
    private let next: EffectNode<Event, Env>
    private let parent: EffectGroup?
    private var pending = 1
    private var isBroken = false

    init(then next: EffectNode<Event, Env>, parent: EffectGroup?) {
        self.next = next
        self.parent = parent
    }

    /// Adds `count` members.
    func began(_ count: Int) { pending += count }

    /// Lets no part follow.
    func stop() { isBroken = true }

    /// Ends a member.
    ///
    /// - Returns: The next part and its group, if this was the last member.
    func ended(well: Bool) -> (EffectNode<Event, Env>, EffectGroup?)? {
        if !well { isBroken = true }
        pending -= 1
        guard pending == 0 else { return nil }
        return isBroken ? parent?.ended(well: false) : (next, parent)
    }
}
