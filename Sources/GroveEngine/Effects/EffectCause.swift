/// The origin of effects that start now.
struct EffectCause {
    /// The dedup key of the first event.
    var request: String?
    /// The requests that wait for the effects.
    var waiters: [WaiterTable.ID] = []
}
