import OrderedJSON
import Transducers

/// A change of an effect as JSON, for the journal and for subscribers.
struct EffectRecord {
    enum Change: String, CaseIterable {
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
        row.body.writeWork(into: &writer)
    }

    consuming func with(_ name: StaticString, _ value: String?) -> EffectRecord {
        var record = self
        record.writer.member(name, value)
        return record
    }

    consuming func with(_ name: StaticString, _ value: Int64?) -> EffectRecord {
        var record = self
        record.writer.member(name, value)
        return record
    }

    consuming func with(_ name: StaticString, _ value: JSONValue) -> EffectRecord {
        var record = self
        record.writer.name(name)
        record.writer.value(value)
        return record
    }

    consuming func with(due: Timestamp?) -> EffectRecord { with("due_ms", due?.milliseconds) }

    /// The whole object.
    consuming func closed() -> [UInt8] {
        var record = self
        record.writer.literal("}")
        return record.writer.bytes
    }
}

// Functions of the parts, because each copy of a body retains all that is in it.

extension StoredEffect.Body {
    fileprivate func writeWork(into writer: inout JSONWriter) {
        run?.write(into: &writer, attempt: failures + 1)
    }
}

extension HostedRun {
    fileprivate func write(into writer: inout JSONWriter, attempt: Int) {
        writer.member("id", key.text)
        guard case .perform(let handler, _) = work else {
            writer.member("kind", kind)
            writer.member("name", target)
            return
        }
        writer.literal(",\"kind\":\"perform\",\"name\":")
        writer.string(handler)
        writer.member("attempt", Int64(attempt))
    }
}
