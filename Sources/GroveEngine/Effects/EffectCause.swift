/// The origin of effects that start now.
struct EffectCause {
    var request: String?
    /// The requests that wait for the effects.
    var waiters: [WaiterTable.ID] = []
}
