/// The origin of effects that start now.
struct EffectCause {
    var request: String?
    var waiters: [WaiterTable.ID] = []
}
