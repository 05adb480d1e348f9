import CEL
public import OrderedJSON
public import Transducers

extension ChartEvent {
    /// Reads an event of a client: an object with `type`, or the type alone.
    ///
    /// - Throws: `EventError` for what is no event, and for those that only a server sends.
    public init(ofClient value: JSONValue) throws(EventError) {
        let members = value.object
        let path = members == nil ? "$" : "$.type"
        guard let type = members.map({ $0["type"]?.string }) ?? value.string else {
            throw EventError(
                path: path,
                message: "an event is an object with a type, such as {\"type\":\"PAY\"}",
                expected: "a string")
        }
        if let fault = DescriptorTable.fault(inType: type) {
            throw EventError(path: path, message: fault, expected: nil)
        }
        guard !Self.isOfPlatform(type), !type.hasPrefix("$") else {
            throw EventError(
                path: path, message: "only the server sends events named '\(type)'",
                expected: nil)
        }
        guard let members else {
            self.init(client: type, CELMap())
            return
        }
        guard members[Self.metaName] == nil else {
            throw EventError(
                path: "$.\(Self.metaName)", message: "only the server sets this member",
                expected: nil)
        }
        self.init(client: type, CELMap(members))
    }

    /// Whether events of this name tell of what the server has done: nobody else may send them.
    private static func isOfPlatform(_ type: String) -> Bool {
        guard type.hasPrefix("done.") || type.hasPrefix("error.") else { return false }
        return ["done.state.", "done.invoke.", "error.invoke."].contains { type.hasPrefix($0) }
            || type == "error.execution" || type == "error.communication"
    }
}
