import GroveEngine
import OrderedJSON
import Transducers

/// What replies tell of effects (protocol.md, "effects").
extension ReplyEncoder {
    /// Appends `timers` and `effects` of one instance.
    mutating func append(effectsOfOne rows: [StoredEffect], _ writer: inout JSONWriter) {
        writer.literal(#","timers":["#)
        append(rows.filter(\.isTimer), &writer) { encoder, row, writer in
            encoder.append(timer: row, &writer)
        }
        writer.literal(#"],"effects":["#)
        append(rows.filter { !$0.isTimer }, &writer) { encoder, row, writer in
            writer.literal(#"{"effect":"#)
            writer.integer(row.ref.run)
            encoder.append(kindAndPhaseOf: row, &writer)
            encoder.append(progressOf: row, &writer)
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    /// Appends a page of effects, timers among them, each with its instance.
    mutating func append(
        _ rows: [StoredEffect], next: EffectRef?, _ writer: inout JSONWriter
    ) {
        writer.literal(#","items":["#)
        append(rows, &writer) { encoder, row, writer in
            writer.literal(#"{"to":"#)
            writer.string(row.body.owner)
            writer.literal(#","effect":"#)
            writer.integer(row.ref.run)
            encoder.append(kindAndPhaseOf: row, &writer)
            encoder.append(eventOf: row, &writer)
            encoder.append(progressOf: row, &writer)
            encoder.time(
                #","asked":""#, Timestamp(milliseconds: row.body.asked), &writer)
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
        if let next {
            writer.literal(#","next":"#)
            writer.string(next.text)
        }
    }

    private mutating func append(
        _ rows: [StoredEffect], _ writer: inout JSONWriter,
        _ item: (inout ReplyEncoder, StoredEffect, inout JSONWriter) -> Void
    ) {
        for (index, row) in rows.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            item(&self, row, &writer)
        }
    }

    private mutating func append(timer row: StoredEffect, _ writer: inout JSONWriter) {
        writer.literal(#"{"effect":"#)
        writer.integer(row.ref.run)
        append(idOf: row, &writer)
        // A timer sleeps, unless its event could not be read when its time had come.
        if row.body.phase != .sleeping {
            writer.literal(#","phase":"#)
            writer.string(row.body.phase.rawValue)
        }
        append(eventOf: row, &writer)
        append(progressOf: row, &writer)
        writer.bytes.append(UInt8(ascii: "}"))
    }

    private func append(idOf row: StoredEffect, _ writer: inout JSONWriter) {
        guard let id = row.body.run?.key.text else { return }
        writer.literal(#","id":"#)
        writer.string(id)
    }

    private func append(eventOf row: StoredEffect, _ writer: inout JSONWriter) {
        guard case .after(_, let event)? = row.body.run?.work else { return }
        writer.literal(#","event":"#)
        writer.value(event)
    }

    private func append(kindAndPhaseOf row: StoredEffect, _ writer: inout JSONWriter) {
        if let run = row.body.run {
            writer.literal(#","kind":"#)
            writer.string(run.kind)
            if let name = run.target {
                writer.literal(#","name":"#)
                writer.string(name)
            }
        }
        append(idOf: row, &writer)
        writer.literal(#","phase":"#)
        writer.string(row.body.phase.rawValue)
    }

    /// What only some effects have, in some of their phases.
    private mutating func append(progressOf row: StoredEffect, _ writer: inout JSONWriter) {
        if case .perform? = row.body.run?.work {
            writer.literal(#","attempt":"#)
            writer.integer(Int64(row.body.failures + 1))
        }
        if let due = row.awake.due { time(#","due":""#, due, &writer) }
        if row.body.asleep != nil { writer.literal(#","asleep":true"#) }
        if let reason = row.body.reason {
            writer.literal(#","reason":"#)
            writer.string(reason)
        }
        if row.body.phase == .asking, let token = row.body.token {
            writer.literal(#","token":"#)
            writer.string(token)
        }
        if let child = row.body.child {
            writer.literal(#","child":"#)
            writer.string(child)
        }
    }

    /// Appends `effects`, what happened to effects in one step.
    func effectNotes(_ notes: [[UInt8]], _ writer: inout JSONWriter) {
        writer.literal(#","effects":["#)
        for (index, note) in notes.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            writer.rawOrNull(note)
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    /// Appends `settled`, what became of the effects that the reply waited for.
    func settled(_ outcomes: [Reply.EffectOutcome], _ writer: inout JSONWriter) {
        writer.literal(#","settled":["#)
        for (index, outcome) in outcomes.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            writer.literal(#"{"effect":"#)
            writer.integer(outcome.run)
            if let instance = outcome.instance {
                writer.literal(#","to":"#)
                writer.string(instance.text)
            }
            if let id = outcome.id {
                writer.literal(#","id":"#)
                writer.string(id)
            }
            writer.literal(#","end":"#)
            writer.string(outcome.end.rawValue)
            if let reason = outcome.reason {
                writer.literal(#","reason":"#)
                writer.string(reason)
            }
            writer.bytes.append(UInt8(ascii: "}"))
        }
        writer.bytes.append(UInt8(ascii: "]"))
    }

    /// Appends the fields of a reply to `cancel`.
    func append(_ runs: [Int64], _ place: Cursor, _ writer: inout JSONWriter) {
        writer.literal(#","cancelled":["#)
        for (index, run) in runs.enumerated() {
            if index > 0 { writer.bytes.append(UInt8(ascii: ",")) }
            writer.integer(run)
        }
        writer.bytes.append(UInt8(ascii: "]"))
        cursor(place, &writer)
    }
}

extension StoredEffect {
    /// Whether all it does is to wait for its time.
    fileprivate var isTimer: Bool {
        if case .after? = body.run?.work { true } else { false }
    }
}
