public import OrderedJSON

/// What a durable effect does, as data: what a host stores, and what is still there after a crash.
@usableFromInline
struct DurableEffect<Event>: Sendable {
    /// The kinds of work that need no closure.
    @usableFromInline
    enum Kind: Sendable {
        /// Applies the event when so much time has passed.
        case after(Duration, @Sendable () -> Event)
        /// Has a handler work.
        case perform(String, DurableArgument)
        /// Sends an event to another instance, `machine/instance`.
        case send(to: String, DurableArgument, after: Duration)
        /// Starts an instance of another machine that belongs to this one.
        case start(machine: String, instance: String?, input: DurableArgument?, isDetached: Bool)
        /// Waits for an answer from outside, at most so long.
        case ask(expires: Duration?)
        /// Undoes what has been completed and says how it is undone, last first.
        case compensate
    }

    let kind: Kind
    var then: String?
    var retry = RetryPolicy.standard
    var timeout: Duration?
    var undo: EffectUndo?
}

extension DurableEffect {
    /// The same of a machine that contains this one.
    func map<Whole>(
        _ embed: @escaping @Sendable (Event) -> Whole
    ) -> DurableEffect<Whole> {
        let kind: DurableEffect<Whole>.Kind =
            switch kind {
            case .after(let duration, let event): .after(duration, { embed(event()) })
            case .perform(let name, let argument): .perform(name, argument)
            case .send(let instance, let event, let delay):
                .send(to: instance, event, after: delay)
            case .start(let machine, let instance, let input, let isDetached):
                .start(
                    machine: machine, instance: instance, input: input, isDetached: isDetached)
            case .ask(let expires): .ask(expires: expires)
            case .compensate: .compensate
            }
        return DurableEffect<Whole>(
            kind: kind, then: then, retry: retry, timeout: timeout, undo: undo)
    }
}

/// A value that becomes JSON when it is stored.
@usableFromInline
struct DurableArgument: Sendable {
    private let write: @Sendable (inout JSONWriter) throws(JSONEncodingError) -> Void

    @usableFromInline
    init(_ value: some Encodable & Sendable) {
        write = { (writer) throws(JSONEncodingError) in
            try JSONCoding.encode(value, into: &writer)
        }
    }

    /// The value as JSON.
    ///
    /// - Throws: `JSONEncodingError`, or `JSONError` for a value nested too deeply.
    func value() throws -> JSONValue {
        var writer = JSONWriter()
        try write(&writer)
        return try JSONValue(parsing: writer.bytes, limits: .stored)
    }
}

/// How a completed effect is undone: by another handler, with an argument of its own. Run by
/// ``TransducerEffect/compensate(id:)``.
public struct EffectUndo: Sendable {
    let handler: String
    let argument: DurableArgument

    /// By `handler`, with `argument`.
    public init(_ handler: String, argument: some Encodable & Sendable) {
        self.handler = handler
        self.argument = DurableArgument(argument)
    }

    /// By `handler`, with `null`.
    public init(_ handler: String) { self.init(handler, argument: JSONValue.null) }
}

/// What an effect has given: of a handler, of an answer from outside, or of a child.
public struct EffectResult: Sendable {
    /// The effect's full name, or `nil` if it had none.
    public let id: EffectKey?
    /// The name of the event that the effect asked for.
    public let then: String?
    /// The value.
    public let value: JSONValue

    /// Puts the three together.
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

/// Why a result is no event.
public enum EffectResultError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The machine's events can't be read from JSON, and it doesn't say which event it is.
    case eventsAreNotDecodable(String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .eventsAreNotDecodable(let type):
            "\(type) isn't Decodable: make it so, or say in effectResult(_:) which event a "
                + "result is"
        }
    }
}
