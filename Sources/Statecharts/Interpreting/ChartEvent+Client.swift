import CEL
public import OrderedJSON
public import Transducers

extension ChartEvent {
    /// Reads an event of a client: an object with `type`, or the type alone.
    ///
    /// - Throws: `EventError` for what is no event, and for those that only a server sends.
    public init(ofClient value: JSONValue) throws(EventError) {
        let members = value.object
        let type = try Self.type(
            members.map { $0["type"]?.string } ?? value.string, isMember: members != nil)
        guard let members else {
            self.init(client: type, CELMap())
            return
        }
        guard members[Self.metaName] == nil else { throw Self.metaFault }
        self.init(client: type, CELMap(members))
    }

    /// Reads an event in a client's line, without a tree of its values in between. The paths of
    /// errors are those in the event.
    init(ofClient document: JSONDocument, at node: JSONDocument.Node) throws(EventError) {
        let isObject = document.kind(node) == .object
        let name = isObject ? document.member("type", of: node) : node
        let type = try Self.type(name.flatMap { document.string($0) }, isMember: isObject)
        var members = CELMap(minimumCapacity: isObject ? document.count(node) : 1)
        members["type"] = .string(type)
        for member in document.members(of: node) where member.value != name {
            guard let key = document.string(member.name) else { continue }
            guard key != Self.metaName else { throw Self.metaFault }
            members[CELKey(key)] = CELValue(document, at: member.value)
        }
        self.init(type: type, members: members, kind: .external)
        way = .client
    }

    /// The type of an event, if a client may send it.
    private static func type(
        _ text: String?, isMember: Bool
    ) throws(EventError) -> String {
        let path = isMember ? "$.type" : "$"
        guard let text else {
            throw EventError(
                path: path,
                message: "an event is an object with a type, such as {\"type\":\"PAY\"}",
                expected: "a string")
        }
        if let fault = DescriptorTable.fault(inType: text) {
            throw EventError(path: path, message: fault, expected: nil)
        }
        guard !isOfServer(text) else {
            throw EventError(
                path: path, message: "only the server sends events named '\(text)'",
                expected: nil)
        }
        return text
    }

    private static var metaFault: EventError {
        EventError(
            path: "$.\(metaName)", message: "only the server sets this member", expected: nil)
    }

    /// Whether events of this name are the server's own, or tell of what it has done: nobody else
    /// may send them to others.
    static func isOfServer(_ type: String) -> Bool {
        if isReserved(type) { return true }
        // By bytes: the name after the point may begin with a scalar that combines with it.
        let bytes = type.utf8
        guard bytes.starts(with: "done.".utf8) || bytes.starts(with: "error.".utf8) else {
            return false
        }
        return ["done.state.", "done.invoke.", "error.invoke."].contains {
            bytes.starts(with: $0.utf8)
        } || type == "error.execution" || type == "error.communication"
    }

    /// Whether names like this are kept for the server: not even a chart itself raises them.
    static func isReserved(_ type: String) -> Bool { type.utf8.first == UInt8(ascii: "$") }
}
