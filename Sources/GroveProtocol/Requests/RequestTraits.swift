import GroveEngine
import GroveWire

extension Operation {
    /// Its op.
    var op: Op {
        switch self {
        case .send: .send
        case .batch: .batch
        case .can: .can
        case .create: .create
        case .get: .get
        case .list: .list
        case .history: .history
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .credit: .credit
        case .stop: .stop
        case .suspend: .suspend
        case .resume: .resume
        case .delete: .delete
        case .effects: .effects
        case .cancel: .cancel
        case .retry: .retry
        case .complete: .complete
        case .await: .await
        case .importing: .import
        case .backup: .backup
        case .definitions: .definitions
        case .describe: .describe
        case .stats: .stats
        }
    }

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
