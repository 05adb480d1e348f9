import GroveEngine
import OrderedJSON

/// Single members of a request, checked for their type and bounds. Paths begin at the line's
/// root.
extension RequestDecoder {
    /// A member of the request.
    func member(_ name: StaticString) -> JSONDocument.Node? {
        document.member(name, of: place)
    }

    /// An optional string.
    func text(_ name: StaticString) throws(WireError) -> String? {
        guard let node = member(name) else { return nil }
        guard let text = document.string(node) else {
            throw .badRequest("$.\(name)", "\(name) is a string")
        }
        return text
    }

    /// An optional string that is kept, and so has a bound.
    func text(_ name: StaticString, bytesMax: Int) throws(WireError) -> String? {
        let text = try text(name)
        guard text?.utf8.count ?? 0 <= bytesMax else {
            throw .badRequest("$.\(name)", "\(name) has at most \(bytesMax) bytes")
        }
        return text
    }

    /// An optional integer from 0.
    func count(_ name: StaticString) throws(WireError) -> Int64? {
        guard let node = member(name) else { return nil }
        guard let count = document.integer(node), count >= 0 else {
            throw .badRequest("$.\(name)", "\(name) is an integer from 0")
        }
        return count
    }

    /// An optional truth value.
    func flag(_ name: StaticString) throws(WireError) -> Bool? {
        guard let node = member(name) else { return nil }
        guard let flag = document.bool(node) else {
            throw .badRequest("$.\(name)", "\(name) is true or false")
        }
        return flag
    }

    /// An optional string out of a closed list.
    func word(_ name: StaticString, _ words: [String]) throws(WireError) -> String? {
        try word("\(name)", member(name), words)
    }

    /// An optional string out of a closed list, as member `name` of the request.
    func word(
        _ name: String, _ node: JSONDocument.Node?, _ words: [String]
    ) throws(WireError) -> String? {
        guard let node else { return nil }
        guard let word = document.string(node), words.contains(word) else {
            let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
            throw .badRequest("$.\(name)", "\(name) is one of \(list)")
        }
        return word
    }

    /// Milliseconds that an answer may be waited for.
    func waitingTime(_ node: JSONDocument.Node) throws(WireError) -> Int64 {
        guard let time = document.integer(node), (1...Limits.waitMillisecondsMax).contains(time)
        else {
            throw .badRequest(
                "$.timeout_ms",
                "timeout_ms is an integer from 1 to \(Limits.waitMillisecondsMax)")
        }
        return time
    }

    /// The items of a page.
    func limit() throws(WireError) -> Int {
        guard let node = member("limit") else { return 100 }
        guard let limit = document.integer(node), (1...Int64(Limits.pageItemsMax)).contains(limit)
        else {
            throw .badRequest("$.limit", "limit is an integer from 1 to \(Limits.pageItemsMax)")
        }
        return Int(limit)
    }

    /// The instance that is meant.
    func to(_ fields: Fields) throws(WireError) -> InstanceName {
        guard let node = fields.to else { throw .badRequest("$.to", "to is missing") }
        return try instanceName(node)
    }

    /// The name of an instance, member `to`.
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

    /// The client's name for a subscription.
    func subscriptionName() throws(WireError) -> SubscriptionName {
        guard let node = member("sub") else { throw .badRequest("$.sub", "sub is missing") }
        guard let bytes = document.stringBytes(node),
            (1...Limits.subscriptionNameBytesMax).contains(bytes.count)
        else {
            throw .badRequest(
                "$.sub", "sub is a string of 1 to \(Limits.subscriptionNameBytesMax) bytes")
        }
        return SubscriptionName(bytes)
    }

    /// The client's key for this request.
    func dedup(_ fields: Fields) throws(WireError) -> [UInt8]? {
        try fields.dedup.map { node throws(WireError) in try key(node, "dedup") }
    }

    /// A dedup key, as member `name` of the request.
    func key(_ node: JSONDocument.Node, _ name: StaticString) throws(WireError) -> [UInt8] {
        guard let key = document.stringBytes(node),
            (1...Limits.dedupKeyBytesMax).contains(key.count)
        else {
            throw .badRequest(
                "$.\(name)", "\(name) is a string of 1 to \(Limits.dedupKeyBytesMax) bytes")
        }
        return key
    }

    /// The name of a machine, member `machine`.
    func machineName() throws(WireError) -> String? {
        guard var machine = try text("machine") else { return nil }
        let isValid = machine.withUTF8 { MachineName.isValid(UnsafeRawBufferPointer($0)) }
        guard isValid else { throw .badRequest("$.machine", "machine is the name of a machine") }
        return machine
    }
}
