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
