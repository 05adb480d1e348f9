import GroveEngine
import OrderedJSON
import Transducers

extension RequestDecoder {
    func effects(_ fields: Fields) throws(WireError) -> EffectsQuery {
        var query = EffectsQuery()
        query.to = try fields.to.map { node throws(WireError) in try instanceName(node) }
        query.phase = try word("phase", StoredEffect.Phase.names)
            .flatMap(StoredEffect.Phase.init(rawValue:))
        query.after = try value("after", "is the next of the page before, a string") {
            document.string($0).flatMap(EffectRef.init(text:))
        }
        query.limit = try limit()
        return query
    }
}

extension StoredEffect.Phase {
    /// The phases that clients see; sequences and stopping children are internal.
    fileprivate static let names = [
        StoredEffect.Phase.waiting, .sleeping, .active, .asking, .child, .delivering, .failed,
        .completed,
    ].map(\.rawValue)
}

extension ReplyEncoder {
    /// Appends `timers` and `effects` of one instance.
    mutating func append(effectsOfOne rows: [StoredEffect], _ writer: inout JSONWriter) {
        writer.array("timers", rows.filter(\.isTimer)) { append(timer: $1, &$0) }
        writer.array("effects", rows.filter { !$0.isTimer }) { writer, row in
            writer.object { writer in
                writer.member("effect", row.ref.number)
                append(kindAndPhaseOf: row, &writer)
                append(progressOf: row, &writer)
            }
        }
    }

    /// Appends a page of effects, timers among them, each with its instance.
    mutating func append(
        _ rows: [StoredEffect], next: EffectRef?, _ writer: inout JSONWriter
    ) {
        writer.array("items", rows) { writer, row in
            writer.object { writer in
                writer.member("to", row.body.owner)
                writer.member("effect", row.ref.number)
                append(kindAndPhaseOf: row, &writer)
                append(eventOf: row, &writer)
                append(progressOf: row, &writer)
                let asked = Timestamp(milliseconds: row.body.asked)
                times.append(asked, as: #","asked":""#, to: &writer)
            }
        }
        writer.member("next", next?.text)
    }

    private mutating func append(timer row: StoredEffect, _ writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("effect", row.ref.number)
            writer.member("id", row.body.run?.key.text)
            // A timer sleeps, unless its event couldn't be decoded when it was due.
            if row.body.phase != .sleeping {
                writer.member("phase", row.body.phase.rawValue)
            }
            append(eventOf: row, &writer)
            append(progressOf: row, &writer)
        }
    }

    private func append(eventOf row: StoredEffect, _ writer: inout JSONWriter) {
        guard case .after(_, let event)? = row.body.run?.work else { return }
        writer.name("event")
        writer.value(event)
    }

    private func append(kindAndPhaseOf row: StoredEffect, _ writer: inout JSONWriter) {
        writer.member("kind", row.body.run?.kind)
        writer.member("name", row.body.run?.target)
        writer.member("id", row.body.run?.key.text)
        writer.member("phase", row.body.phase.rawValue)
        writer.member("then", row.body.run?.then)
    }

    /// Appends the members that only some effects have, in some of their phases.
    private mutating func append(progressOf row: StoredEffect, _ writer: inout JSONWriter) {
        if case .perform? = row.body.run?.work {
            writer.member("attempt", Int64(row.body.failures + 1))
        }
        if let due = row.awake.due { times.append(due, as: #","due":""#, to: &writer) }
        writer.flag("asleep", row.body.asleep != nil)
        writer.member("reason", row.body.reason)
        if row.body.phase == .asking { writer.member("token", row.body.token) }
        writer.member("child", row.body.child)
    }
}

extension StoredEffect {
    /// Whether it only waits for its time.
    fileprivate var isTimer: Bool {
        if case .after? = body.run?.work { true } else { false }
    }
}
