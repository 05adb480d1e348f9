import OrderedJSON

/// What an effect has given: of a handler, of an answer from outside, or of a child.
public struct EffectResult: Sendable {
    /// The effect's full name, or `nil` if it had none.
    public let id: EffectKey?
    /// The name of the event that the effect asked for.
    public let then: String?
    /// The value.
    public let value: JSONValue

    /// A result, for tests of machines that get one.
    public init(id: EffectKey?, then: String?, value: JSONValue) {
        self.id = id
        self.then = then
        self.value = value
    }

    /// The value in a type of one's own.
    ///
    /// - Throws: `JSONDecodingError`.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try Self.decode(type, from: value)
    }

    /// As ``event(as:)``, for an effect that comes from no inner machine; else `nil`.
    @usableFromInline
    func ownEvent<Event>(as type: Event.Type) throws -> Event? {
        if let id, !id.scopes.isEmpty { return nil }
        return try event(as: type)
    }

    /// The event that it becomes where the machine says nothing else
    /// (``BaseTransducer/effectResult(_:)``): with `then`, the case of that name, with the
    /// value as its single unlabelled value or, if that doesn't fit, with the value's members by
    /// their labels; without, the event that the value is; `null` alone is none.
    ///
    /// - Throws: `JSONDecodingError` when it is no such event.
    func event<Event>(as type: Event.Type) throws -> Event? {
        guard let then else {
            return value.isNull ? nil : try Self.decodeEvent(type, from: value)
        }
        if value.isNull, let event = try? Self.decodeEvent(type, from: .string(then)) {
            // A case without values; one with a value that may be null is tried below.
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
            preconditionFailure("what is decoded is of the type that was asked for")
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
