import OrderedJSON

/// The result of an effect: of a handler, an answer from outside, or a child.
public struct EffectResult: Sendable {
    /// The effect's full name, or `nil` if it had none.
    public let id: EffectKey?
    /// The event's case that the effect names, if any.
    public let then: String?
    /// The value.
    public let value: JSONValue

    /// A result, for tests of machines that get one.
    public init(id: EffectKey?, then: String?, value: JSONValue) {
        self.id = id
        self.then = then
        self.value = value
    }

    /// Decodes the value.
    ///
    /// - Throws: `JSONDecodingError`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try Self.decode(type, from: value)
    }

    /// Returns ``event(as:)`` for the machine's own effect, `nil` for one of an inner machine.
    @usableFromInline
    func ownEvent<Event>(as type: Event.Type) throws -> Event? {
        if let id, !id.scopes.isEmpty { return nil }
        return try event(as: type)
    }

    /// The default event (``BaseTransducer/effectResult(_:)``). With `then`: the case of that name,
    /// with the value as its single unlabeled value or, if that doesn't fit, with the value's
    /// members by label. Without: the value as an event; `null` is no event.
    ///
    /// - Throws: `JSONDecodingError` if it is no such event.
    func event<Event>(as type: Event.Type) throws -> Event? {
        guard let then else {
            return value.isNull ? nil : try Self.decodeEvent(type, from: value)
        }
        if value.isNull, let event = try? Self.decodeEvent(type, from: .string(then)) {
            // A case without values. A case with an optional value is decoded below.
            return event
        }
        var whole = JSONObject()
        whole["type"] = .string(then)
        whole["value"] = value
        do {
            return try Self.decodeEvent(type, from: .object(whole))
        } catch {
            guard case .object(let members) = value else { throw error }
            var labelled = JSONObject()
            labelled["type"] = .string(then)
            for member in members where member.name != "type" {
                labelled[member.name] = member.value
            }
            guard let event = try? Self.decodeEvent(type, from: .object(labelled)) else {
                throw error
            }
            return event
        }
    }

    private static func decodeEvent<Event>(
        _ type: Event.Type, from value: JSONValue
    ) throws -> Event {
        guard let decodable = type as? any Decodable.Type else {
            throw EffectResultError.eventsAreNotDecodable("\(type)")
        }
        guard let event = try decode(decodable, from: value) as? Event else {
            preconditionFailure("a decoded value has the requested type")
        }
        return event
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue
    ) throws -> Value {
        let document = try JSONDocument(parsing: value.serialized(), limits: .stored)
        return try JSONCoding.decode(type, from: document, at: document.root)
    }
}
