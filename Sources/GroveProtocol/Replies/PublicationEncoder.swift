import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON
import Transducers

/// Writes records and marks for subscribers (protocol.md, "subscribe"). The common part of a record
/// is written once for all recipients; only the subscription's name and the line's shape differ.
package struct PublicationEncoder: Sendable {
    private let cursors: CursorText
    private var times = TimestampText()
    private var scratch = JSONDocument()
    private var tail = JSONWriter()
    /// The member `by` in `tail`, with the comma before or after it, which only some may see.
    private var sender: Range<Int>?
    /// The names of principals, for steps.
    var names = AccountsTable()

    package init(cursors: CursorText) { self.cursors = cursors }

    /// Writes the part of the line after the subscription's name, for ``append(_:as:into:)`` until
    /// the next call.
    package mutating func prepare(_ content: Publication.Content) {
        tail.bytes.removeAll(
            keepingCapacity: tail.bytes.capacity <= ServerLimits.busyBufferBytesMax)
        sender = nil
        switch content {
        case .record(let step, let kind, let index):
            let cursor = Cursor(sequence: step.record.sequence, index: index)
            cursors.append(cursor, as: #","cur":""#, to: &tail)
            append(step.record, kind: kind, before: step.before)
        case .snapshot(let name, let version, let state, let isDone, let updated):
            head(name, version, "state")
            tail.literal(#","snapshot":true,"after":"#)
            tail.rawOrNull(state)
            if isDone { tail.literal(#","done":true"#) }
            times.append(updated, as: #","at":""#, to: &tail)
        case .snapshotMark(let cursor): mark(cursor, "snapshot")
        case .liveMark(let cursor): mark(cursor, "live")
        case .checkpointMark(let cursor): mark(cursor, "checkpoint")
        case .gapMark(let gap):
            mark(gap.to, "gap")
            cursors.append(gap.from, as: #","from":""#, to: &tail)
            cursors.append(gap.to, as: #","to":""#, to: &tail)
            tail.literal(#","reason":"retention""#)
        }
    }

    /// Appends the prepared line for one subscription.
    package func append(
        _ name: SubscriptionName, as shape: LineShape = .plain, showsSenders: Bool = false,
        into writer: inout JSONWriter
    ) {
        if shape == .jsonRPC {
            writer.literal(#"{"jsonrpc":"2.0","method":"record","params":"#)
        }
        writer.literal(#"{"sub":"#)
        writer.string(utf8: name)
        if let sender, !showsSenders {
            writer.raw(tail.bytes[..<sender.lowerBound])
            writer.raw(tail.bytes[sender.upperBound...])
        } else {
            writer.raw(tail.bytes)
        }
        writer.literal(shape == .plain ? "}\n" : "}}\n")
    }

    private mutating func append(
        _ record: JournalRecord, kind: Publication.RecordKind, before: [UInt8]?
    ) {
        switch kind {
        case .output(let number):
            let output = record.outputs[number]
            head(record, "output")
            if let type = output.type {
                tail.literal(#","type":"#)
                tail.string(type)
            }
            tail.literal(#","data":"#)
            tail.rawOrNull(output.data)
        case .state:
            head(record, "state")
            states(record, before)
        case .effect(let number):
            head(record, "effect")
            tail.literal(#","data":"#)
            tail.rawOrNull(record.effects[number])
        case .lifecycle(let turn):
            head(record, "lifecycle")
            tail.member("lifecycle", turn.rawValue)
            tail.member("reason", record.reason)
        case .trace:
            head(record, "trace")
            tail.literal(#","event":"#)
            tail.rawOrNull(record.event ?? [])
            states(record, before)
            tail.outputs(record.outputs)
            tail.effectRecords(record.effects)
        }
        cause(record)
        times.append(record.at, as: #","at":""#, to: &tail)
    }

    private mutating func head(_ record: JournalRecord, _ kind: StaticString) {
        guard let name = record.name else {
            preconditionFailure("only erased steps have no name, and those are not published")
        }
        head(name, record.version, kind)
    }

    private mutating func head(_ name: InstanceName, _ version: Int64, _ kind: StaticString) {
        tail.literal(#","to":"#)
        tail.string(name.text)
        tail.literal(#","v":"#)
        tail.integer(version)
        tail.literal(#","kind":""#)
        tail.literal(kind)
        tail.bytes.append(UInt8(ascii: "\""))
    }

    /// `before` and `after`. Only a creation has no state before it, `null`; a state that is no
    /// longer known is left out.
    private mutating func states(_ record: JournalRecord, _ before: [UInt8]?) {
        guard before != nil || record.kind == .created else {
            if let after = record.state {
                tail.literal(#","after":"#)
                tail.rawOrNull(after)
            }
            return
        }
        tail.literal(#","before":"#)
        tail.rawOrNull(before ?? [])
        tail.literal(#","after":"#)
        tail.rawOrNull(record.state ?? before ?? [])
    }

    /// `cause`: the name of the event, its key, its trace, and who sent it.
    private mutating func cause(_ record: JournalRecord) {
        let begin = tail.bytes.count
        let by = names.name(of: record.by)
        guard record.event != nil || record.dedup != nil || record.trace != nil else {
            guard let by else { return }
            tail.literal(#","cause":{"by":"#)
            tail.string(by)
            tail.bytes.append(UInt8(ascii: "}"))
            sender = begin..<tail.bytes.count
            return
        }
        tail.literal(#","cause":{"#)
        var hasMembers = record.event.map { eventName($0) } ?? false
        if let dedup = record.dedup {
            if hasMembers { tail.bytes.append(UInt8(ascii: ",")) }
            tail.literal(#""dedup":"#)
            dedup.withUnsafeBytes { tail.string(utf8: $0) }
            hasMembers = true
        }
        if let trace = record.trace {
            if hasMembers { tail.bytes.append(UInt8(ascii: ",")) }
            tail.literal(#""traceparent":"#)
            tail.string(trace.text)
            hasMembers = true
        }
        if let by {
            let begin = tail.bytes.count
            if hasMembers { tail.bytes.append(UInt8(ascii: ",")) }
            tail.literal(#""by":"#)
            tail.string(by)
            sender = begin..<tail.bytes.count
        }
        tail.bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the event's name; `false` when it has none.
    private mutating func eventName(_ event: [UInt8]) -> Bool {
        if event.first == UInt8(ascii: "\"") {
            tail.literal(#""event":"#)
            tail.raw(event)
            return true
        }
        do {
            try event.withUnsafeBufferPointer { (bytes) throws(JSONError) in
                try scratch.parse(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            return false
        }
        guard let type = scratch.member("type", of: scratch.root),
            scratch.kind(type) == .string
        else { return false }
        tail.literal(#""event":"#)
        tail.raw(scratch.text(type))
        return true
    }

    private mutating func mark(_ cursor: Cursor, _ mark: StaticString) {
        cursors.append(cursor, as: #","cur":""#, to: &tail)
        tail.literal(#","mark":""#)
        tail.literal(mark)
        tail.bytes.append(UInt8(ascii: "\""))
    }
}
