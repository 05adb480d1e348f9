import GroveEngine
import GroveWire

extension Operation {
    /// Whether one that waits may be repeated without applying anything twice.
    var isRepeatable: Bool {
        if case .send(let send) = self { send.dedup != nil } else { op.traits.reads }
    }
}

/// The properties of one request: those of its op, and of its own fields.
struct RequestTraits {
    /// Whether its reply may come long after it was accepted.
    let mayWait: Bool
    /// Whether its time counts among those of acks: one event that waits for nothing else. The
    /// reply to an import looks the same, but an instance is made without its machine.
    let isTimed: Bool

    init(_ operation: Operation) {
        let op = operation.op
        let traits = op.traits
        var waits = false
        if case .send(let send) = operation { waits = send.settle != .none }
        switch traits.waiting {
        case .never: mayWait = false
        case .requested: mayWait = waits
        case .always: mayWait = true
        }
        isTimed = traits.isTimed && !waits
    }
}
