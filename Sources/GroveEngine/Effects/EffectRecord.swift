import OrderedJSON
import Transducers

/// A change of an effect as JSON, for the journal and for subscribers.
struct EffectRecord {
    enum Change: String {
        case started, waiting, emitted, completed, retrying, failed, cancelled, renamed, refused,
            stale, logged
    }

    /// The object without its closing brace. Each name is written once.
    private var writer = JSONWriter(capacity: 96)

    init(_ change: Change) {
        writer.literal("{")
        writer.member("type", change.rawValue)
    }

    init(_ change: Change, _ row: StoredEffect) {
        self.init(change)
        writer.member("effect", row.ref.number)
        guard let run = row.body.run else { return }
        writer.member("id", run.key.text)
        writer.member("kind", run.kind)
        writer.member("name", run.target)
        if case .perform = run.work { writer.member("attempt", Int64(row.body.failures + 1)) }
    }

    func with(_ name: StaticString, _ value: String?) -> EffectRecord {
        var record = self
        record.writer.member(name, value)
        return record
    }

    func with(_ name: StaticString, _ value: Int64?) -> EffectRecord {
        var record = self
        record.writer.member(name, value)
        return record
    }

    func with(_ name: StaticString, _ value: JSONValue) -> EffectRecord {
        var record = self
        record.writer.name(name)
        record.writer.value(value)
        return record
    }

    func with(due: Timestamp?) -> EffectRecord { with("due_ms", due?.milliseconds) }

    var bytes: [UInt8] { writer.bytes + [UInt8(ascii: "}")] }
}
