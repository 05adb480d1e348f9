/// A part of a sequence: what comes next, when all of the part has ended well. Confined to its
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

    /// There are `count` more parts than were known.
    func began(_ count: Int) { pending += count }

    /// A part has ended.
    ///
    /// - Returns: What comes next, and what it is a part of.
    func ended(well: Bool) -> (EffectNode<Event, Env>, EffectGroup?)? {
        if !well { isBroken = true }
        pending -= 1
        guard pending == 0 else { return nil }
        return isBroken ? parent?.ended(well: false) : (next, parent)
    }
}
