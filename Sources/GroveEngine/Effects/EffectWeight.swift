import OrderedJSON
import Transducers

// Estimates of the bytes of rows. No row is refused because of its own estimate, so an exact count
// isn't worth its time.

extension StoredEffect {
    /// About how many bytes the row has.
    package var weight: Int { knownWeight ?? body.weight }
}

extension StoredEffect.Body {
    var weight: Int {
        var bytes = 300 + (run?.weight ?? 0) + (rest?.weight ?? 0) + (trace?.utf8.count ?? 0)
        if case .result(let value)? = outcome { bytes += value.weight }
        return bytes
    }
}

extension [HostedEffect] {
    var weight: Int { reduce(0) { $0 + 100 + $1.weight } }
}

extension HostedEffect {
    fileprivate var weight: Int {
        switch self {
        case .start(let run): run.weight
        case .event(let event): event.weight
        case .cancel, .rename, .updateQueue: 0
        case .log(let label, let value): (label?.utf8.count ?? 0) + value.weight
        case .sequence(let parts), .all(let parts): parts.weight
        }
    }
}

extension HostedRun {
    fileprivate var weight: Int {
        let carried: Int =
            switch work {
            case .after(_, let event): event.weight
            case .perform(_, let argument): argument.weight
            case .send(let target, let event, _): target.utf8.count + event.weight
            case .start(_, let instance, let input, _):
                (instance?.utf8.count ?? 0) + (input?.weight ?? 0)
            case .ask, .compensate, .closure: 0
            }
        let types = key.types?.reduce(0) { $0 + $1.utf8.count } ?? 0
        return carried + (key.text?.utf8.count ?? 0) + types + (undo?.argument.weight ?? 0)
    }
}

extension JSONValue {
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
