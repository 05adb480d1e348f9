import GroveWire

/// The origin of the steps that are made and the effects that start now.
struct EffectCause {
    var request: String?
    /// The trace that they belong to.
    var trace: TraceParent?
    var waiters: [WaiterTable.ID] = []

    /// Begins a request.
    mutating func begin(_ trace: TraceParent?) {
        if trace != nil || self.trace != nil { self.trace = trace }
    }

    /// Ends a request. Most have nothing here, and to write nothing costs time, too.
    mutating func end() {
        if request != nil { request = nil }
        if trace != nil { trace = nil }
        if !waiters.isEmpty { waiters = [] }
    }
}
