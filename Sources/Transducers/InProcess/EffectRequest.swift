import Synchronization

/// A send whose sender follows what comes of it: how much is under way, and the observer of it.
@usableFromInline
final class EffectRequest: Sendable {
    /// How far the sender's interest goes.
    let tracking: EffectTracking
    /// The id it can be cancelled by, if any.
    let key: EffectKey?
    /// The priority of effects that name none.
    let priority: TaskPriority?
    /// Told of failures and of the end.
    let observer: any EffectObserver
    /// Work under way, the step itself included.
    private let pending = Atomic(1)

    init(
        tracking: EffectTracking, id: (any Hashable & Sendable)? = nil,
        priority: TaskPriority? = nil, observer: any EffectObserver
    ) {
        self.tracking = tracking
        self.key = id.map { EffectKey(base: AnyKey($0)) }
        self.priority = priority
        self.observer = observer
    }

    deinit {
        // The machine is gone, and with it whatever was under way.
        guard pending.load(ordering: .acquiring) > 0 else { return }
        observer.cancelled()
        observer.settled()
    }

    func began() { pending.add(1, ordering: .acquiringAndReleasing) }

    func ended() {
        let left = pending.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { observer.settled() }
    }

    func failed(_ error: any Error) { observer.failed(error) }

    /// Some of the work was cancelled, or never ran.
    func cancelled() { observer.cancelled() }
}

/// How far a sender's interest in its event goes.
public enum EffectTracking: Sendable, Equatable {
    /// The step of the event, and the work of the effects that it started; not what they cause.
    case own
    /// Everything that follows from the event.
    case tree
}

/// Who is told what comes of a send.
protocol EffectObserver: AnyObject, Sendable {
    /// An effect failed for good; others may go on.
    func failed(_ error: any Error)
    /// Some of the work was cancelled, or never ran.
    func cancelled()
    /// Nothing is under way any more.
    func settled()
}

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

    /// There are so many more parts than were known.
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

/// An effect that is to be carried out, with what it belongs to.
@usableFromInline
struct PendingEffect<Event, Env> {
    let node: EffectNode<Event, Env>
    let group: EffectGroup<Event, Env>?
    let request: EffectRequest?
}
