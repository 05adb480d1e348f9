import OrderedJSON

extension HostedEffect {
    /// About how many bytes of JSON it carries: what the machine has put in, not the names around
    /// it.
    var weight: Int {
        switch self {
        case .start(let run): run.work.weight + (run.undo?.argument.weight ?? 0)
        case .event(let event): event.weight
        case .cancel, .updateQueue: 0
        case .sequence(let parts), .all(let parts): parts.reduce(0) { $0 + $1.weight }
        }
    }
}

extension HostedRun.Work {
    fileprivate var weight: Int {
        switch self {
        case .after(_, let event): event.weight
        case .perform(_, let argument): argument.weight
        case .send(let target, let event, _): target.utf8.count + event.weight
        case .start(_, let instance, let input, _):
            (instance?.utf8.count ?? 0) + (input?.weight ?? 0)
        case .ask, .compensate, .closure: 0
        }
    }
}

extension JSONValue {
    /// At least as many bytes as it has as JSON, but for what strings escape.
    fileprivate var weight: Int {
        switch self {
        case .null, .bool: 5
        case .string(let text): text.utf8.count + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.weight + 1 }
        case .object(let members):
            members.reduce(2) { $0 + $1.name.utf8.count + $1.value.weight + 4 }
        case .integer, .double: 24
        }
    }
}
