import GroveEngine
import OrderedJSON

/// Single members of a request, checked for their type and bounds. Paths begin at the line's
/// root.
extension RequestDecoder {
    func member(_ name: StaticString) -> JSONDocument.Node? {
        document.member(name, of: fields)
    }

    /// An optional member.
    ///
    /// - Parameters:
    ///   - rule: The rest of the message about a wrong value, such as "is a string".
    ///   - read: Returns the value; `nil` for a wrong one.
    func value<Value>(
        _ name: StaticString, _ rule: @autoclosure () -> String,
        _ read: (JSONDocument.Node) -> Value?
    ) throws(WireError) -> Value? {
        guard let node = member(name) else { return nil }
        return try value(node, name, rule(), read)
    }

    func value<Value>(
        _ node: JSONDocument.Node, _ name: StaticString, _ rule: @autoclosure () -> String,
        _ read: (JSONDocument.Node) -> Value?
    ) throws(WireError) -> Value {
        guard let value = read(node) else { throw .badRequest("$.\(name)", "\(name) \(rule())") }
        return value
    }

    func required<Value>(_ value: Value?, _ name: StaticString) throws(WireError) -> Value {
        guard let value else { throw .badRequest("$.\(name)", "\(name) is missing") }
        return value
    }

    func text(_ name: StaticString) throws(WireError) -> String? {
        try value(name, "is a string") { document.string($0) }
    }

    /// An optional string that is stored, and so has a bound.
    func text(_ name: StaticString, bytesMax: Int) throws(WireError) -> String? {
        let text = try text(name)
        guard text?.utf8.count ?? 0 <= bytesMax else {
            throw .badRequest("$.\(name)", "\(name) has at most \(bytesMax) bytes")
        }
        return text
    }

    /// An optional integer from 0.
    func count(_ name: StaticString) throws(WireError) -> Int64? {
        try value(name, "is an integer from 0") { integer($0, in: 0...Int64.max) }
    }

    /// An optional integer from 1 to `max`.
    func count(_ name: StaticString, max: Int) throws(WireError) -> Int? {
        try value(name, "is an integer from 1 to \(max)") {
            integer($0, in: 1...Int64(max)).map { Int($0) }
        }
    }

    /// An integer within bounds; `nil` for any other value.
    func integer(_ node: JSONDocument.Node, in bounds: ClosedRange<Int64>) -> Int64? {
        document.integer(node).flatMap { bounds.contains($0) ? $0 : nil }
    }

    func flag(_ name: StaticString) throws(WireError) -> Bool? {
        try value(name, "is true or false") { document.bool($0) }
    }

    /// An optional string of a closed list.
    func word(_ name: StaticString, _ words: [String]) throws(WireError) -> String? {
        guard let node = member(name) else { return nil }
        return try word(name, node, words)
    }

    /// A string of a closed list, as member `name` of the request.
    func word(
        _ name: StaticString, _ node: JSONDocument.Node, _ words: [String]
    ) throws(WireError) -> String {
        let list = { words.map { "\"\($0)\"" }.joined(separator: ", ") }
        return try value(node, name, "is one of \(list())") {
            document.string($0).flatMap { words.contains($0) ? $0 : nil }
        }
    }

    /// The milliseconds that the server may wait before it answers.
    func waitingTime(_ node: JSONDocument.Node) throws(WireError) -> Int64 {
        try value(node, "timeout_ms", "is an integer from 1 to \(Limits.waitMillisecondsMax)") {
            integer($0, in: 1...Limits.waitMillisecondsMax)
        }
    }

    func limit() throws(WireError) -> Int { try count("limit", max: Limits.pageItemsMax) ?? 100 }

    func to(_ fields: Fields) throws(WireError) -> InstanceName {
        try instanceName(required(fields.to, "to"))
    }

    func instanceName(_ node: JSONDocument.Node) throws(WireError) -> InstanceName {
        guard let name = document.withStringBytes(node, { InstanceName(utf8: $0) }) else {
            throw .badRequest("$.to", "to is a string, machine/instance")
        }
        guard let name else {
            throw .badRequest(
                "$.to", "to is machine/instance; an instance has 1 to 200 of A-Z a-z 0-9 ._:@~+=,-")
        }
        return name
    }

    func subscriptionName() throws(WireError) -> SubscriptionName {
        SubscriptionName(
            try bytes(required(member("sub"), "sub"), "sub", max: Limits.subscriptionNameBytesMax))
    }

    /// The client's key for this request.
    func dedup(_ fields: Fields) throws(WireError) -> [UInt8]? {
        try fields.dedup.map { node throws(WireError) in try key(node, "dedup") }
    }

    /// A dedup key, as member `name` of the request.
    func key(_ node: JSONDocument.Node, _ name: StaticString) throws(WireError) -> [UInt8] {
        try bytes(node, name, max: Limits.dedupKeyBytesMax)
    }

    private func bytes(
        _ node: JSONDocument.Node, _ name: StaticString, max: Int
    ) throws(WireError) -> [UInt8] {
        guard let bytes = document.stringBytes(node), (1...max).contains(bytes.count) else {
            throw .badRequest("$.\(name)", "\(name) is a string of 1 to \(max) bytes")
        }
        return bytes
    }

    func machineName() throws(WireError) -> String? {
        guard var machine = try text("machine") else { return nil }
        let isValid = machine.withUTF8 { MachineName.isValid(UnsafeRawBufferPointer($0)) }
        guard isValid else { throw .badRequest("$.machine", "machine is the name of a machine") }
        return machine
    }
}
