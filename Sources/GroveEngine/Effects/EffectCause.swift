import GroveWire

/// The origin of the steps that are made and the effects that start now.
struct EffectCause {
    var request: String?
    /// The trace that they belong to.
    var trace: TraceParent?
    var waiters: [WaiterTable.ID] = []
}
