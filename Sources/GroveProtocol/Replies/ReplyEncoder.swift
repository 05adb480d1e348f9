import GroveAccess
import GroveEngine
import OrderedJSON
import Transducers

/// Writes replies as lines into a connection's outbound buffer. The order of members is fixed:
/// `id`, `ok`, then the fields in the order of the op's table in protocol.md.
package struct ReplyEncoder: Sendable {
    let cursors: CursorText
    /// The names of principals, for steps.
    var names = AccountsTable()
    /// How a client can say who it is: `token`, and `certificate` where those are asked for.
    var waysToAuthenticate = ["token"]
    var times = TimestampText()
    var traffic = TrafficCounts()

    package init(cursors: CursorText) { self.cursors = cursors }

    package mutating func append(
        _ reply: Reply, to answer: DecodedLine.Answer, as shape: LineShape = .plain,
        into writer: inout JSONWriter
    ) {
        switch reply {
        case .sent(let sent) where shape == .plain:
            guard open(answer, &writer) else { return }
            writer.literal(#","ok":true,"v":"#)
            append(sent, &writer)
            writer.literal("}\n")
        case .failure(let failure):
            append(error(failure, as: shape), to: answer, as: shape, into: &writer)
        default:
            appendLine(to: answer, as: shape, &writer) { $0.appendFields(reply, as: shape, &$1) }
        }
    }

    /// Appends the line of a success; `fields` writes each field after a comma.
    mutating func appendLine(
        to answer: DecodedLine.Answer, as shape: LineShape, _ writer: inout JSONWriter,
        fields: (inout ReplyEncoder, inout JSONWriter) -> Void
    ) {
        guard open(answer, &writer) else { return }
        let begin = beginFields(shape, &writer)
        fields(&self, &writer)
        endFields(shape, from: begin, &writer)
        writer.literal("}\n")
    }

    package mutating func append(
        _ error: WireError, to answer: DecodedLine.Answer, as shape: LineShape = .plain,
        into writer: inout JSONWriter
    ) {
        guard open(answer, &writer) else { return }
        append(error, as: shape, &writer)
        writer.literal("}\n")
    }

    /// Appends `{"id":…`; `false` when there is no answer.
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

    func cursor(_ cursor: Cursor, _ writer: inout JSONWriter) {
        cursors.append(cursor, as: #","cur":""#, to: &writer)
    }

    func ending(isDone: Bool, isDuplicate: Bool, _ writer: inout JSONWriter) {
        if isDone { writer.literal(#","done":true"#) }
        if isDuplicate { writer.literal(#","dup":true"#) }
    }
}

extension JSONWriter {
    mutating func outputs(_ outputs: [JournalRecord.Output]) {
        array("outputs", outputs) { $0.rawOrNull($1.data) }
    }

    /// Appends the member `effects`, the changes of effects in one step.
    mutating func effectRecords(_ records: [[UInt8]]) {
        array("effects", records) { $0.rawOrNull($1) }
    }

    mutating func string(utf8 name: SubscriptionName) {
        name.bytes.withUnsafeBytes { string(utf8: $0) }
    }
}
