import Synchronization

/// A tracked send: the count of its unfinished work, and its observer.
@usableFromInline
final class EffectRequest: Sendable {
    /// The extent of the tracking.
    let tracking: EffectTracking
    /// The id that cancels it, if any.
    let key: EffectKey?
    /// The priority of effects without their own.
    let priority: TaskPriority?
    /// Receives failures and the end.
    let observer: any EffectObserver
    /// The count of unfinished work, including the step itself.
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
        // The machine is deallocated, and its work canceled.
        guard pending.load(ordering: .acquiring) > 0 else { return }
        observer.cancelled()
        observer.settled()
    }

    func began() { pending.add(1, ordering: .acquiringAndReleasing) }

    func ended() {
        let left = pending.subtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0 { observer.settled() }
    }
}
