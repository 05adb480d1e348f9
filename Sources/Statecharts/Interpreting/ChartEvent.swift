public import CEL

/// An event of an instance, with what is known about its origin (SCXML 5.10.1).
public struct ChartEvent: Sendable {
    /// The origin of an event.
    public enum Kind: String, Sendable {
        /// From the inbox: of a client or a machine.
        case external
        /// Raised by the machine itself.
        case `internal`
        /// Raised by the interpreter or the host.
        case platform
    }

    /// The way of an external event.
    public enum Way: String, Sendable {
        /// Sent by a machine.
        case machine
        /// Sent by a client.
        case client
    }

    /// A timer of a state.
    public struct TimerID: Hashable, Sendable {
        let state: Int32
        let position: Int32
    }

    /// The key of the type among the members.
    static let typeKey = CELKey("type")

    /// The type, such as `order.paid`.
    public let type: String
    /// The members, with `type` as the first one.
    public let members: CELMap
    /// The origin.
    public var kind: Kind
    /// The address of the sender.
    public var origin: String?
    /// The way of an external event.
    public var way: Way?
    /// The id of the send.
    public var send: String?
    /// The id of the invocation that it came from.
    public var invocation: String?
    /// The number of that invocation: another one with the same id has another number.
    public var invocationSerial: Int64?
    /// The timer that has fired; such an event matches no descriptor.
    public let timer: TimerID?

    /// An event of members whose first one is its type.
    init(type: String, members: CELMap, kind: Kind, timer: TimerID? = nil) {
        self.type = type
        self.members = members
        self.kind = kind
        self.timer = timer
    }

    /// An event.
    ///
    /// - Parameter payload: Its members; one named `type` is left out.
    public init(_ type: String, _ payload: CELMap = CELMap(), kind: Kind = .external) {
        var members = CELMap(minimumCapacity: payload.count + 1)
        members[Self.typeKey] = .string(type)
        for entry in payload.entries where entry.key != Self.typeKey {
            members[entry.key] = entry.value
        }
        self.init(type: type, members: members, kind: kind)
    }

    /// The event of a timer that has fired.
    public init(timer: TimerID) {
        var members = CELMap()
        members["type"] = .string("after")
        self.init(type: "after", members: members, kind: .platform, timer: timer)
    }

    /// `done.invoke.ID`: an invocation has ended with an output.
    public static func done(invocation id: String, serial: Int64, output: CELValue) -> ChartEvent {
        var event = platform("done.invoke.\(id)", "output", output)
        event.invocation = id
        event.invocationSerial = serial
        return event
    }

    /// `error.invoke.ID`: an invocation has failed.
    public static func failed(
        invocation id: String, serial: Int64, code: String, message: String
    ) -> ChartEvent {
        var event = error("error.invoke.\(id)", code: code, message: message)
        event.invocation = id
        event.invocationSerial = serial
        return event
    }

    /// `error.invoke.ID`: an invocation has ended well, and its result couldn't be taken.
    static func refused(invocation id: String, serial: Int64, message: String) -> ChartEvent {
        failed(invocation: id, serial: serial, code: "RESULT_REFUSED", message: message)
    }

    static func error(_ type: String, code: String, message: String) -> ChartEvent {
        var error = CELMap()
        error["code"] = .string(code)
        error["message"] = .string(message)
        return platform(type, "error", .map(error))
    }

    static func platform(_ type: String, _ name: String, _ value: CELValue) -> ChartEvent {
        var payload = CELMap()
        payload[name] = value
        return ChartEvent(type, payload, kind: .platform)
    }

    /// The value of `meta`: always all members, null where they don't apply.
    var meta: CELValue {
        var meta = CELMap()
        meta["kind"] = .string(kind.rawValue)
        meta["origin"] = origin.map(CELValue.string) ?? .null
        meta["via"] = way.map { .string($0.rawValue) } ?? .null
        meta["send"] = send.map(CELValue.string) ?? .null
        meta["invoke"] = invocation.map(CELValue.string) ?? .null
        return .map(meta)
    }
}
