import GroveEngine
import GroveWire

/// The properties of one request: those of its op, and of its own fields.
extension Operation {
    /// Whether one that waits may be repeated without applying anything twice.
    var isRepeatable: Bool {
        if case .send(let send) = self { send.dedup != nil } else { op.traits.reads }
    }

    /// Whether it is carried out where changes are not: `accounts` is one op for both.
    var isForReaders: Bool {
        if case .accounts(let request) = self { !request.isChange } else { op.traits.isForReaders }
    }

    /// Whether its reply may come long after it was accepted, and whether the time to the reply is
    /// measured: of one event that doesn't wait for effects. The reply to an import looks the same,
    /// but an instance is imported without its machine.
    var timing: (mayWait: Bool, isTimed: Bool) {
        let traits = op.traits
        var waitsForEffects = false
        if case .send(let send) = self { waitsForEffects = send.settle != .none }
        let mayWait =
            switch traits.waiting {
            case .never: false
            case .requested: waitsForEffects
            case .always: true
            }
        return (mayWait, traits.isTimed && !waitsForEffects)
    }
}
