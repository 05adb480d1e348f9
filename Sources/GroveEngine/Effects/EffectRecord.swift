import OrderedJSON
import Transducers

/// What happened to an effect, as subscribers and the journal have it.
struct EffectRecord {
    /// The turns in an effect's life.
    enum Change: String {
        case started, waiting, emitted, completed, retrying, failed, cancelled, refused, stale
    }

    private var object = JSONObject()

    init(_ change: Change, _ row: StoredEffect) {
        object["type"] = .string(change.rawValue)
        object["effect"] = .integer(row.ref.number)
        if let id = row.body.run?.key.text { object["id"] = .string(id) }
        guard let run = row.body.run else { return }
        object["kind"] = .string(run.kind)
        if let name = run.target { object["name"] = .string(name) }
        if case .perform = run.work { object["attempt"] = .integer(Int64(row.body.failures + 1)) }
    }

    func with(_ name: String, _ value: JSONValue?) -> EffectRecord {
        var note = self
        if let value { note.object[name] = value }
        return note
    }

    func with(due: Timestamp?) -> EffectRecord {
        with("due_ms", due.map { .integer($0.milliseconds) })
    }

    /// What an effect asked for was refused; nothing has changed.
    static func refused(_ reason: String) -> [UInt8] {
        var object = JSONObject()
        object["type"] = .string(Change.refused.rawValue)
        object["reason"] = .string(reason)
        return JSONValue.object(object).serialized()
    }

    var bytes: [UInt8] { JSONValue.object(object).serialized() }
}
