import GroveEngine
import GroveWire

/// The properties of one request: those of its op, and of its own fields.
extension Operation {
    /// Whether one that waits may be repeated without applying anything twice.
    var isRepeatable: Bool {
        if case .send(let send) = self { send.dedup != nil } else { op.traits.reads }
    }

    /// Whether its reply may come long after it was accepted.
    var mayWait: Bool {
        switch op.traits.waiting {
        case .never: false
        case .requested: waitsForEffects
        case .always: true
        }
    }

    /// Whether the time to its reply is measured: one event that doesn't wait for effects. The
    /// reply to an import looks the same, but an instance is imported without its machine.
    var isTimed: Bool { op.traits.isTimed && !waitsForEffects }

    private var waitsForEffects: Bool {
        if case .send(let send) = self { send.settle != .none } else { false }
    }
}
