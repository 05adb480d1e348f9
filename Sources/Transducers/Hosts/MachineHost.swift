/// Who holds a machine that is driven by calls. Weakly held by the machine: whoever drops the
/// host ends it.
protocol MachineHost<Event>: AnyObject, Sendable {
    associatedtype Event: Sendable

    /// The actor that isolated effects run on.
    var effectActor: any Actor { get }

    /// Effects have sent something. Called on any thread.
    func wake()

    /// An action has ended. Called on any thread.
    func acted(_ result: Result<[Event], any Error>)
}

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
