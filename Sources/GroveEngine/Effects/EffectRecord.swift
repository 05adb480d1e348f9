import OrderedJSON
import Transducers

/// A change of an effect as JSON, for the journal and for subscribers.
struct EffectRecord {
    enum Change: String {
        case started, waiting, emitted, completed, retrying, failed, cancelled, refused, stale
    }

    private var object = JSONObject()

    init(_ change: Change) { object["type"] = .string(change.rawValue) }

    init(_ change: Change, _ row: StoredEffect) {
        self.init(change)
        object["effect"] = .integer(row.ref.number)
        guard let run = row.body.run else { return }
        if let id = run.key.text { object["id"] = .string(id) }
        object["kind"] = .string(run.kind)
        if let name = run.target { object["name"] = .string(name) }
        if case .perform = run.work { object["attempt"] = .integer(Int64(row.body.failures + 1)) }
    }

    func with(_ name: String, _ value: JSONValue?) -> EffectRecord {
        var record = self
        if let value { record.object[name] = value }
        return record
    }

    func with(due: Timestamp?) -> EffectRecord {
        with("due_ms", due.map { .integer($0.milliseconds) })
    }

    var bytes: [UInt8] { JSONValue.object(object).serialized() }
}
