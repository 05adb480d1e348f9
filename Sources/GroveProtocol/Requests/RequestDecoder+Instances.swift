import GroveEngine
import OrderedJSON
import Transducers

/// The ops about instances.
extension RequestDecoder {
    mutating func send(
        _ fields: Fields, _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> Send {
        let (to, node) = try target(fields)
        let dedup = try dedup(fields)
        let expect = try expectation(fields.expect)
        var create = Send.CreateMode.ifAbsent
        if let field = fields.create { create = try createMode(field) }
        var reply = Send.ReplyDetail.minimal
        if let field = fields.reply { reply = try replyDetail(field) }
        let settle = try settle(fields)
        let timeout = try timeout(fields, of: settle)
        // Last, so that a wrong line costs no decoding.
        let (event, text) = event(node, of: to, line)
        return Send(
            to: to, event: event, eventText: text, dedup: dedup, expect: expect, create: create,
            reply: reply, settle: settle, timeout: timeout)
    }

    /// The instance that is meant and the event for it, which has the shape of one.
    func target(_ fields: Fields) throws(WireError) -> (InstanceName, JSONDocument.Node) {
        let to = try to(fields)
        guard let node = fields.event else { throw .badRequest("$.event", "event is missing") }
        try checkShape(ofEvent: node)
        return (to, node)
    }

    /// What every event is, whatever its machine: a string, or an object whose `type` is one.
    private func checkShape(ofEvent node: JSONDocument.Node) throws(WireError) {
        var place = "$.event"
        switch document.kind(node) {
        case .string: return
        case .object:
            let type = document.member("type", of: node)
            if let type, document.kind(type) == .string { return }
            place = "$.event.type"
        case .null, .bool, .integer, .double, .array: break
        }
        throw .badRequest(place, "an event is a string, or an object with a type")
    }

    /// The event, decoded, and its bytes as they were sent.
    mutating func event(
        _ node: JSONDocument.Node, of to: InstanceName, _ line: UnsafeRawBufferPointer
    ) -> (EventInput, [UInt8]) {
        let bytes = UnsafeRawBufferPointer(rebasing: line[document.range(node)])
        var name = to.text
        let length = to.machineLength
        let machine = name.withUTF8 { name in
            machines.index(of: UnsafeRawBufferPointer(name.extracting(..<length)))
        }
        guard let machine else { return (.unknownMachine, Array(bytes)) }
        let isShort = bytes.count <= ServerLimits.rememberedEventBytesMax
        let hash = isShort ? ByteHash.of(bytes) : 0
        if isShort, let known = machines[machine].events.find(bytes, hash: hash) {
            return (known.event, known.text)
        }
        let text = Array(bytes)
        let isWithheld =
            !withheld.isEmpty
            && (withheld.contains(.instance(to)) || withheld.contains(.machine(to.machine)))
        if isWithheld { return (.withheld, text) }
        witness?.begin(to, run: 0, event: bytes)
        defer { witness?.end() }
        do throws(EventError) {
            let definition = machines[machine].definition
            let decoded = try definition.machine.decodeEvent(document, at: node)
            let name = definition.internalName(of: decoded)
            let event =
                name.map { EventInput.internalOnly(decoded, name: $0) }
                ?? .decoded(decoded)
            if isShort { machines[machine].events.remember(text, hash: hash, event: event) }
            return (event, text)
        } catch {
            return (.undecodable(error), text)
        }
    }

    private func expectation(
        _ node: JSONDocument.Node?
    ) throws(WireError) -> Send.Expectation? {
        guard let node else { return nil }
        if let version = document.integer(node), version >= 0 { return .version(version) }
        if document.stringEquals(node, "absent") { return .absent }
        if document.stringEquals(node, "exists") { return .exists }
        throw .badRequest(
            "$.expect", "expect is an integer from 0, \"absent\" or \"exists\"")
    }

    private func createMode(_ node: JSONDocument.Node) throws(WireError) -> Send.CreateMode {
        switch try word("create", node, ["if_absent", "never", "must"]) {
        case "never": .never
        case "must": .must
        default: .ifAbsent
        }
    }

    private func replyDetail(_ node: JSONDocument.Node) throws(WireError) -> Send.ReplyDetail {
        switch try word("reply", node, ["min", "state", "full"]) {
        case "state": .state
        case "full": .full
        default: .minimal
        }
    }

    private func settle(_ fields: Fields) throws(WireError) -> Send.Settle {
        guard let node = fields.settle else { return .none }
        return switch try word("settle", node, ["none", "own", "tree"]) {
        case "own": .own
        case "tree": .tree
        default: .none
        }
    }

    private func timeout(_ fields: Fields, of settle: Send.Settle) throws(WireError) -> Int64 {
        guard let node = fields.timeout else { return Limits.waitMillisecondsMax }
        let time = try waitingTime(node)
        guard settle != .none else {
            throw .badRequest(
                "$.timeout_ms", "timeout_ms goes only with settle \"own\" or \"tree\"")
        }
        return time
    }

    func create(_ fields: Fields) throws(WireError) -> Create {
        let to = try to(fields)
        let input = member("input").map { document.kind($0) != .null } ?? false
        return Create(to: to, hasInput: input, dedup: try dedup(fields))
    }

    /// What is suspended or resumed: exactly one member says so.
    func held(_ fields: Fields) throws(WireError) -> HoldSubject {
        switch (fields.to, try machineName()) {
        case (_?, nil): return .instance(try to(fields))
        case (nil, let machine?): return .machine(machine)
        case (nil, nil), (_?, _?):
            throw .badRequest("$.to", "exactly one of to and machine says what is held")
        }
    }

    private func machineName() throws(WireError) -> String? {
        guard var machine = try text("machine") else { return nil }
        let isValid = machine.withUTF8 { MachineName.isValid(UnsafeRawBufferPointer($0)) }
        guard isValid else { throw .badRequest("$.machine", "machine is the name of a machine") }
        return machine
    }

    func list() throws(WireError) -> List {
        var list = List()
        list.machine = try machineName()
        list.held = try word("held", Hold.Kind.words).flatMap(Hold.Kind.init(word:))
        list.prefix = try text("prefix") ?? ""
        list.state = try text("state")
        list.isDone = try flag("done")
        list.isOutdated = try flag("outdated")
        list.after = try text("after")
        list.limit = try limit()
        return list
    }
}
