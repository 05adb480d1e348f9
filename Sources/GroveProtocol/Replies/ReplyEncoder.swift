public import GroveEngine
public import OrderedJSON
import Transducers

/// Writes replies as lines, straight into a connection's outbound buffer. The order of members
/// is fixed: `id`, `ok`, then the fields in the order of the op's table in protocol.md.
public struct ReplyEncoder: Sendable {
    let cursors: CursorText
    var times = TimestampText()
    /// What was asked for and answered.
    var traffic = TrafficCounts()

    /// An encoder for the replies about one log.
    public init(cursors: CursorText) { self.cursors = cursors }

    /// Appends one line.
    public mutating func append(
        _ reply: Reply, to answer: DecodedLine.Answer, as shape: LineShape = .plain,
        into writer: inout JSONWriter
    ) {
        guard open(answer, &writer) else { return }
        switch reply {
        case .sent(let sent) where shape == .plain:
            writer.literal(#","ok":true,"v":"#)
            append(sent, &writer)
        case .failure(let failure): append(error(failure, as: shape), as: shape, &writer)
        default:
            let begin = beginFields(shape, &writer)
            appendFields(reply, as: shape, &writer)
            endFields(shape, from: begin, &writer)
        }
        writer.literal("}\n")
    }

    /// Appends the line of a refusal.
    public mutating func append(
        _ error: WireError, to answer: DecodedLine.Answer, as shape: LineShape = .plain,
        into writer: inout JSONWriter
    ) {
        guard open(answer, &writer) else { return }
        append(error, as: shape, &writer)
        writer.literal("}\n")
    }

    /// Appends `{"id":…`; `false` when nobody is answered.
    func open(_ answer: DecodedLine.Answer, _ writer: inout JSONWriter) -> Bool {
        switch answer {
        case .none: return false
        case .null: writer.literal(#"{"id":null"#)
        case .id(let id):
            writer.literal(#"{"id":"#)
            id.append(to: &writer.bytes)
        }
        return true
    }

    func append(_ sent: Reply.Sent, _ writer: inout JSONWriter) {
        writer.integer(sent.version)
        cursor(sent.cursor, &writer)
        if sent.changed {
            writer.literal(#","changed":true"#)
        } else {
            writer.literal(#","changed":false"#)
        }
        if let detail = sent.detail {
            writer.literal(#","state":"#)
            writer.rawOrNull(detail.state)
            if let made = detail.outputs {
                outputs(made, &writer)
            }
            if let notes = detail.effects { effectNotes(notes, &writer) }
        }
        if let outcomes = sent.settled { settled(outcomes, &writer) }
        ending(isDone: sent.isDone, isDuplicate: sent.isDuplicate, &writer)
    }

    private mutating func appendFields(
        _ reply: Reply, as shape: LineShape, _ writer: inout JSONWriter
    ) {
        switch reply {
        case .created(let created):
            writer.literal(#","v":0"#)
            cursor(created.cursor, &writer)
            if let state = created.state {
                writer.member("state", orNull: state)
                outputs(created.outputs, &writer)
            }
            ending(isDone: created.isDone, isDuplicate: created.isDuplicate, &writer)
        case .got(let got): append(got, &writer)
        case .listed(let items, let next): append(items, next: next, &writer)
        case .history(let steps, let next, let first):
            append(steps, next: next, &writer)
            writer.member("first", first)
        case .subscribed(let name, let current, let first):
            writer.name("sub")
            writer.string(utf8: name)
            cursor(current, &writer)
            writer.literal(#","first":""#)
            cursors.append(first, to: &writer.bytes)
            writer.bytes.append(UInt8(ascii: "\""))
        case .stopped(let version, let place):
            writer.member("v", version)
            cursor(place, &writer)
        case .held(let version, let changed, let place):
            append(version, place, isChange: changed, &writer)
        case .definitions(let items):
            writer.array("items", items) { append($1, &$0) }
        case .statistics(let numbers):
            for (name, value) in numbers {
                writer.comma()
                writer.string(name)
                writer.bytes.append(UInt8(ascii: ":"))
                writer.integer(value)
            }
        case .effects(let rows, let next): append(rows, next: next, &writer)
        case .cancelled(let runs, let place): append(runs, place, &writer)
        case .batch(let results): append(results, as: shape, &writer)
        case .can(let can): append(can, &writer)
        case .described(let described): append(described, &writer)
        case .backup(let backup): append(backup, &writer)
        case .sent(let sent):
            writer.literal(#","v":"#)
            append(sent, &writer)
        case .done, .failure: break
        }
    }

    private mutating func append(_ got: Reply.Got, _ writer: inout JSONWriter) {
        writer.literal(#","state":"#)
        writer.rawOrNull(got.state)
        writer.literal(#","v":"#)
        writer.integer(got.version)
        writer.literal(#","done":"#)
        writer.bool(got.isDone)
        if let held = got.held {
            writer.literal(#","held":"#)
            writer.string(held.word)
        }
        if let result = got.result {
            writer.literal(#","result":"#)
            writer.raw(result)
        }
        if let reason = got.reason {
            writer.literal(#","reason":"#)
            writer.string(reason)
        }
        writer.object("definition") { appendMembers(got.definition, &$0) }
        append(effectsOfOne: got.effects, &writer)
    }

    func appendMembers(_ item: Reply.DefinitionItem, _ writer: inout JSONWriter) {
        writer.member("name", item.name)
        writer.member("version", item.version)
        writer.member("hash", item.hash)
        writer.member("held", item.held?.word)
    }

    private mutating func append(
        _ items: [Reply.ListItem], next: String?, _ writer: inout JSONWriter
    ) {
        writer.array("items", items) { writer, item in
            writer.object { writer in
                writer.member("to", item.name.text)
                writer.member("v", item.version)
                writer.member("state", orNull: item.state)
                writer.member("done", item.isDone)
                time("updated", item.updated, &writer)
                writer.member("definition", item.definitionVersion)
                if let hold = item.hold { append(hold, &writer) }
            }
        }
        writer.member("next", next)
    }

    private mutating func append(
        _ steps: [JournalRecord], next: Int64?, _ writer: inout JSONWriter
    ) {
        writer.array("items", steps) { writer, step in
            writer.object { writer in
                writer.member("v", step.version)
                writer.member("event", orNull: step.event ?? [])
                outputs(step.outputs, &writer)
                if let state = step.state { writer.member("state", orNull: state) }
                time("at", step.at, &writer)
                if let dedup = step.dedup {
                    writer.name("dedup")
                    dedup.withUnsafeBytes { writer.string(utf8: $0) }
                }
            }
        }
        writer.member("next", next)
    }

    private func append(
        _ version: Int64?, _ place: Cursor, isChange: Bool, _ writer: inout JSONWriter
    ) {
        writer.member("v", version)
        cursor(place, &writer)
        writer.member("changed", isChange)
    }

    private mutating func append(_ hold: Hold, _ writer: inout JSONWriter) {
        writer.member("held", hold.kind.word)
        time("since", hold.since, &writer)
        writer.member("reason", hold.reason)
    }

    private func outputs(_ outputs: [JournalRecord.Output], _ writer: inout JSONWriter) {
        writer.array("outputs", outputs) { $0.rawOrNull($1.data) }
    }

    func cursor(_ cursor: Cursor, _ writer: inout JSONWriter) {
        writer.literal(#","cur":""#)
        cursors.append(cursor, to: &writer.bytes)
        writer.bytes.append(UInt8(ascii: "\""))
    }

    private func ending(isDone: Bool, isDuplicate: Bool, _ writer: inout JSONWriter) {
        if isDone { writer.literal(#","done":true"#) }
        if isDuplicate { writer.literal(#","dup":true"#) }
    }

    mutating func time(_ name: StaticString, _ time: Timestamp, _ writer: inout JSONWriter) {
        writer.name(name)
        writer.bytes.append(UInt8(ascii: "\""))
        times.append(time, to: &writer.bytes)
        writer.bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONWriter {
    /// Appends a subscription's name in quotes.
    mutating func string(utf8 name: SubscriptionName) {
        name.bytes.withUnsafeBytes { string(utf8: $0) }
    }
}
