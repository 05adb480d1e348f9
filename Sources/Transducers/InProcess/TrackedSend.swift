/// A send whose results go to its sender.
final class TrackedSend<Output: Sendable>: EffectRequest, @unchecked Sendable {
    // As its superclass.
    let results: SendResults<Output>

    init(
        tracking: EffectTracking, id: (any Hashable & Sendable)?, priority: TaskPriority?,
        results: SendResults<Output>
    ) {
        self.results = results
        super.init(
            tracking: tracking, key: id.map { EffectKey(base: AnyKey($0)) },
            priority: priority, observer: results)
    }
}
