public import GroveEngine
public import OrderedJSON
import Transducers

/// Writes records and marks for subscribers (protocol.md, "subscribe"). What
/// all recipients of a record share is written once; only the name of the subscription before it
/// differs, and the shape of the line around it.
public struct PublicationEncoder: Sendable {
    private let cursors: CursorText
    private var times = TimestampText()
    private var scratch = JSONDocument()
    private var tail = JSONWriter()

    /// An encoder for the records of one log.
    public init(cursors: CursorText) { self.cursors = cursors }

    /// Writes what follows the subscription's name in the line; ``append(_:into:)`` uses it until
    /// the next call.
    public mutating func prepare(_ content: Publication.Content) {
        tail.bytes.removeAll(
            keepingCapacity: tail.bytes.capacity <= ServerLimits.busyBufferBytesMax)
        switch content {
        case .record(let record, let kind, let index, let before):
            cursor(Cursor(sequence: record.sequence, index: index))
            append(record, kind: kind, before: before)
        case .snapshot(let name, let version, let state, let isDone, let updated):
            head(name, version, "state")
            tail.literal(#","snapshot":true,"after":"#)
            tail.rawOrNull(state)
            if isDone { tail.literal(#","done":true"#) }
            time(updated)
        case .snapshotMark(let place): mark(place, "snapshot")
        case .liveMark(let place): mark(place, "live")
        case .checkpointMark(let place): mark(place, "checkpoint")
        case .gapMark(let gap):
            mark(gap.to, "gap")
            tail.literal(#","from":""#)
            cursors.append(gap.from, to: &tail.bytes)
            tail.literal(#"","to":""#)
            cursors.append(gap.to, to: &tail.bytes)
            tail.literal(#"","reason":"retention""#)
        }
    }

    /// Appends the prepared line for one subscription.
    public func append(
        _ name: SubscriptionName, as shape: LineShape = .plain, into writer: inout JSONWriter
    ) {
        if shape == .jsonRPC {
            writer.literal(#"{"jsonrpc":"2.0","method":"record","params":"#)
        }
        writer.literal(#"{"sub":"#)
        writer.string(utf8: name)
        writer.raw(tail.bytes)
        switch shape {
        case .plain: writer.literal("}\n")
        case .jsonRPC: writer.literal("}}\n")
        }
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
            cause(record)
        case .state:
            head(record, "state")
            states(record, before)
            cause(record)
        case .effect(let number):
            head(record, "effect")
            tail.literal(#","data":"#)
            tail.rawOrNull(record.effects[number])
            cause(record)
        case .lifecycle(let turn):
            head(record, "lifecycle")
            tail.literal(#","lifecycle":"#)
            tail.string(turn.rawValue)
            if let reason = record.reason {
                tail.literal(#","reason":"#)
                tail.string(reason)
            }
            cause(record)
        case .trace:
            head(record, "trace")
            tail.literal(#","event":"#)
            tail.rawOrNull(record.event ?? [])
            states(record, before)
            tail.literal(#","outputs":["#)
            for (index, output) in record.outputs.enumerated() {
                if index > 0 { tail.bytes.append(UInt8(ascii: ",")) }
                tail.rawOrNull(output.data)
            }
            tail.literal(#"],"effects":["#)
            for (index, effect) in record.effects.enumerated() {
                if index > 0 { tail.bytes.append(UInt8(ascii: ",")) }
                tail.raw(effect)
            }
            tail.bytes.append(UInt8(ascii: "]"))
            cause(record)
        }
        time(record.at)
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

    /// `before` and `after`. Only a creation has nothing before it, `null`; a state that can't be
    /// told any more is left out.
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

    /// `cause`: the name of the event, and the key it came with.
    private mutating func cause(_ record: JournalRecord) {
        guard record.event != nil || record.dedup != nil else { return }
        tail.literal(#","cause":{"#)
        let hasEvent = record.event.map { eventName($0) } ?? false
        if let dedup = record.dedup {
            if hasEvent { tail.bytes.append(UInt8(ascii: ",")) }
            tail.literal(#""dedup":"#)
            dedup.withUnsafeBytes { tail.string(utf8: $0) }
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

    private mutating func cursor(_ cursor: Cursor) {
        tail.literal(#","cur":""#)
        cursors.append(cursor, to: &tail.bytes)
        tail.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func mark(_ place: Cursor, _ mark: StaticString) {
        cursor(place)
        tail.literal(#","mark":""#)
        tail.literal(mark)
        tail.bytes.append(UInt8(ascii: "\""))
    }

    private mutating func time(_ time: Timestamp) {
        tail.literal(#","at":""#)
        times.append(time, to: &tail.bytes)
        tail.bytes.append(UInt8(ascii: "\""))
    }
}
