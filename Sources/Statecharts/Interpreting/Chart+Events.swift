import CEL
import OrderedJSON

// Events as JSON, as they are stored. The members of the event are those of the object; what is
// known of its origin is in the member `$meta`, and without it the event is one of a client.
extension Chart {
    /// Writes an event: `{"type":"PAID","amount":5,"$meta":{"kind":"external","origin":"bank/1"}}`.
    func write(_ event: ChartEvent, to writer: inout JSONWriter) {
        writer.literal("{")
        for entry in event.members.entries {
            writer.comma()
            writer.string(ContextValue.text(of: entry.key))
            writer.literal(":")
            ContextValue.write(entry.value, &writer)
        }
        if !event.isOfClient {
            writer.name("$meta")
            writer.object { writeMeta(of: event, &$0) }
        }
        writer.literal("}")
    }

    private func writeMeta(of event: ChartEvent, _ writer: inout JSONWriter) {
        writer.member("kind", event.kind.rawValue)
        writer.member("origin", event.origin)
        writer.member("via", event.way?.rawValue)
        writer.member("send", event.send)
        writer.member("invoke", event.invocation)
        writer.member("serial", event.invocationSerial)
        if let timer = event.timer {
            writer.member("state", states[Int(timer.state)].id)
            writer.member("timer", Int64(timer.position))
        }
    }

    /// The event as JSON.
    func json(of event: ChartEvent) -> JSONValue {
        var members = event.members.jsonObject
        if !event.isOfClient {
            var meta = JSONObject()
            meta["kind"] = .string(event.kind.rawValue)
            if let origin = event.origin { meta["origin"] = .string(origin) }
            if let way = event.way { meta["via"] = .string(way.rawValue) }
            if let send = event.send { meta["send"] = .string(send) }
            if let invocation = event.invocation { meta["invoke"] = .string(invocation) }
            if let serial = event.invocationSerial { meta["serial"] = .integer(serial) }
            if let timer = event.timer {
                meta["state"] = .string(states[Int(timer.state)].id)
                meta["timer"] = .integer(Int64(timer.position))
            }
            members[ChartEvent.metaName] = .object(meta)
        }
        return .object(members)
    }

    /// Reads what ``write(_:to:)`` has written; nil for anything else.
    func event(_ json: JSONValue) -> ChartEvent? {
        guard var members = json.object, let type = members["type"]?.string else { return nil }
        guard let meta = members[ChartEvent.metaName] else {
            return ChartEvent(client: type, CELMap(members))
        }
        members[ChartEvent.metaName] = nil
        guard let kind = (meta["kind"]?.string).flatMap(ChartEvent.Kind.init) else { return nil }
        if let position = meta["timer"]?.integer {
            guard let state = (meta["state"]?.string).flatMap({ $0.isEmpty ? 0 : identifiers[$0] }),
                position >= 0, position < states[Int(state)].timers.count
            else { return nil }
            return ChartEvent(timer: ChartEvent.TimerID(state: state, position: Int32(position)))
        }
        var event = ChartEvent(type, CELMap(members), kind: kind)
        event.origin = meta["origin"]?.string
        event.way = (meta["via"]?.string).flatMap(ChartEvent.Way.init)
        event.send = meta["send"]?.string
        event.invocation = meta["invoke"]?.string
        event.invocationSerial = meta["serial"]?.integer
        return event
    }
}

extension ChartEvent {
    /// The member of a stored event with what is known of its origin.
    static let metaName = "$meta"

    /// An event that a client sends.
    init(client type: String, _ payload: CELMap) {
        self.init(type, payload)
        way = .client
    }

    /// Whether it is one of a client, of which nothing more is known.
    var isOfClient: Bool { kind == .external && way == .client && origin == nil && send == nil }
}

extension CELValue {
    /// A value of a document.
    init(_ document: JSONDocument, at node: JSONDocument.Node) {
        switch document.kind(node) {
        case .null: self = .null
        case .bool: self = .bool(document.bool(node) ?? false)
        case .integer: self = .int(document.integer(node) ?? 0)
        case .double: self = .double(document.double(node) ?? 0)
        case .string: self = .string(document.string(node) ?? "")
        case .array, .object: self = CELValue(document.value(node))
        }
    }
}

extension CELMap {
    /// A JSON object as a map.
    init(_ object: JSONObject) {
        self.init(minimumCapacity: object.count)
        for member in object { self[CELKey(member.name)] = CELValue(member.value) }
    }

    /// The map as JSON; its values are normalized.
    var jsonObject: JSONObject { CELValue.map(self).json?.object ?? JSONObject() }
}
