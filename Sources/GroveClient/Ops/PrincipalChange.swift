import GroveWire
import OrderedJSON

/// What a principal gets and loses.
public struct PrincipalChange: Hashable, Sendable {
    /// The principal's name.
    public var principal: String
    /// Whether there must be no principal of this name.
    public var isNew = false
    /// Identities that it gets, such as `uid:1000`.
    public var addedIdentities: [String] = []
    /// Grants that it gets, such as `send(place,pay) order/*`.
    public var addedGrants: [String] = []
    /// Identities that it loses.
    public var removedIdentities: [String] = []
    /// Grants that it loses.
    public var removedGrants: [String] = []
    /// Quotas to set, by their words on the wire such as `events_per_s`; `nil` for the standard
    /// one.
    public var quotas: [String: Int64?] = [:]

    /// A change that creates the principal if it is missing, and nothing else.
    public init(_ principal: String) { self.principal = principal }

    var request: Request {
        Request(.accounts).with("action", "change").with("principal", principal)
            .with("new", isNew ? .bool(true) : nil)
            .with("add", Self.lists(addedIdentities, addedGrants))
            .with("remove", Self.lists(removedIdentities, removedGrants))
            .with("quotas", quotasValue)
    }

    private var quotasValue: JSONValue? {
        guard !quotas.isEmpty else { return nil }
        var object = JSONObject()
        for (name, value) in quotas.sorted(by: { $0.key < $1.key }) {
            object[name] = value.map { .integer($0) } ?? .null
        }
        return .object(object)
    }

    private static func lists(_ identities: [String], _ grants: [String]) -> JSONValue? {
        var object = JSONObject()
        if !identities.isEmpty { object["identities"] = .array(identities.map { .string($0) }) }
        if !grants.isEmpty { object["grants"] = .array(grants.map { .string($0) }) }
        return object.isEmpty ? nil : .object(object)
    }
}
