import GroveWire

extension Op {
    /// What each op takes: the table of docs/decisions/0064-grants.md. Without a `default`, so that
    /// a new op doesn't compile before somebody has decided.
    package var requirement: Requirement {
        switch self {
        case .hello, .auth: .nothing
        case .ping: .probe
        case .unsubscribe, .credit: .ownConnection
        case .send: .event
        case .create: .target(.send)
        case .batch: .items
        case .complete: .askingInstance(.send)
        case .get, .history, .await: .target(.read)
        case .can: .trial
        case .list, .effects, .definitions, .describe: .filtered(.read)
        case .subscribe: .selection(.subscribe)
        case .stop, .delete, .cancel, .retry, .import, .suspend, .resume, .migrate:
            .target(.manage)
        case .define, .prune, .undefine: .machine(.define)
        case .backup, .stats, .accounts, .token, .audit, .reload: .server(.admin)
        }
    }
}
