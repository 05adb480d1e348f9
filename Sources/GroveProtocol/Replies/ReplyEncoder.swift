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

    private mutating func appendFields(
        _ reply: Reply, as shape: LineShape, _ writer: inout JSONWriter
    ) {
        switch reply {
        case .created(let created): append(created, &writer)
        case .got(let got): append(got, &writer)
        case .listed(let items, let next): append(items, next: next, &writer)
        case .history(let steps, let next, let first):
            append(steps, next: next, first: first, &writer)
        case .subscribed(let name, let current, let first):
            append(name, current: current, first: first, &writer)
        case .stopped(let version, let place): append(version: version, place, &writer)
        case .held(let version, let changed, let place):
            append(version: version, isChanged: changed, place, &writer)
        case .definitions(let items): writer.array("items", items) { append($1, &$0) }
        case .statistics(let numbers): append(numbers, &writer)
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

    func outputs(_ outputs: [JournalRecord.Output], _ writer: inout JSONWriter) {
        writer.array("outputs", outputs) { $0.rawOrNull($1.data) }
    }

    func cursor(_ cursor: Cursor, _ writer: inout JSONWriter) {
        writer.literal(#","cur":""#)
        cursors.append(cursor, to: &writer.bytes)
        writer.bytes.append(UInt8(ascii: "\""))
    }

    func ending(isDone: Bool, isDuplicate: Bool, _ writer: inout JSONWriter) {
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
