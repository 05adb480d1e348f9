import CEL
import OrderedJSON

// Events as JSON, as they are stored. The members of the event are those of the object; what is
// known of its origin is in the member `$meta`, and without it the event is one of a client.
extension ChartEvent {
    /// The member of a stored event with what is known of its origin.
    static let metaName = "$meta"

    /// Writes an event, but none of a timer:
    /// `{"type":"PAID","amount":5,"$meta":{"kind":"external","origin":"bank/1"}}`.
    func write(to writer: inout JSONWriter) {
        writer.literal("{")
        for entry in members.entries {
            writer.comma()
            writer.string(ContextValue.text(of: entry.key))
            writer.literal(":")
            ContextValue.write(entry.value, &writer)
        }
        if !isOfClient {
            writer.name("$meta")
            writer.object { writer in
                writer.member("kind", kind.rawValue)
                writer.member("origin", origin)
                writer.member("via", way?.rawValue)
                writer.member("send", send)
                writer.member("invoke", invocation)
                writer.member("serial", invocationSerial)
            }
        }
        writer.literal("}")
    }

    /// The event as JSON; of none of a timer.
    var json: JSONValue {
        var members = members.jsonObject
        if !isOfClient {
            var meta = JSONObject()
            meta["kind"] = .string(kind.rawValue)
            if let origin { meta["origin"] = .string(origin) }
            if let way { meta["via"] = .string(way.rawValue) }
            if let send { meta["send"] = .string(send) }
            if let invocation { meta["invoke"] = .string(invocation) }
            if let invocationSerial { meta["serial"] = .integer(invocationSerial) }
            members[Self.metaName] = .object(meta)
        }
        return .object(members)
    }

    /// Reads what ``write(to:)`` has written; nil for anything else.
    init?(stored json: JSONValue) {
        guard var members = json.object, let type = members["type"]?.string else { return nil }
        guard let meta = members[Self.metaName] else {
            self.init(client: type, CELMap(members))
            return
        }
        members[Self.metaName] = nil
        guard let kind = (meta["kind"]?.string).flatMap(Kind.init), meta["timer"] == nil else {
            return nil
        }
        self.init(type, CELMap(members), kind: kind)
        origin = meta["origin"]?.string
        way = (meta["via"]?.string).flatMap(Way.init)
        send = meta["send"]?.string
        invocation = meta["invoke"]?.string
        invocationSerial = meta["serial"]?.integer
    }

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
