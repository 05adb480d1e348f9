import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    func subscribe() throws(WireError) -> Subscribe {
        let name = try subscriptionName()
        var subscribe = Subscribe(name: name, selection: try selection())
        subscribe.start = try start()
        subscribe.snapshot = try flag("snapshot") ?? false
        if subscribe.snapshot, subscribe.start != .now {
            throw .badRequest("$.snapshot", "snapshot goes only with \"from\":\"now\"")
        }
        subscribe.credit = try count("credit")
        switch try word("slow", ["pause", "conflate", "disconnect"]) {
        case "conflate":
            guard subscribe.selection.kinds == .state else {
                throw .badRequest("$.slow", "conflate goes only with kind [\"state\"]")
            }
            subscribe.slow = .conflate
        case "disconnect": subscribe.slow = .disconnect
        default: break
        }
        return subscribe
    }

    private func selection() throws(WireError) -> Selection {
        var selection = Selection()
        guard let node = member("select") else { return selection }
        guard document.kind(node) == .object else {
            throw .badRequest("$.select", "select is an object")
        }
        selection.machine = try glob("machine", of: node, Limits.machineNameBytesMax)
        selection.instance = try glob("instance", of: node, Limits.instanceNameBytesMax)
        selection.type = try glob("type", of: node, Limits.outputTypePatternBytesMax)
        if let kinds = document.member("kind", of: node) { selection.kinds = try self.kinds(kinds) }
        return selection
    }

    /// A pattern. Consecutive stars become one: they mean the same, and every event is matched with
    /// every pattern.
    private func glob(
        _ name: StaticString, of select: JSONDocument.Node, _ bytesMax: Int
    ) throws(WireError) -> Glob? {
        guard let node = document.member(name, of: select) else { return nil }
        guard let bytes = document.stringBytes(node) else {
            throw .badRequest("$.select.\(name)", "\(name) is a string, a pattern with * and ?")
        }
        var pattern: [UInt8] = []
        for byte in bytes where byte != UInt8(ascii: "*") || pattern.last != byte {
            guard pattern.count < bytesMax else {
                throw .badRequest("$.select.\(name)", "\(name) has at most \(bytesMax) bytes")
            }
            pattern.append(byte)
        }
        return Glob(String(decoding: pattern, as: UTF8.self))
    }

    private func kinds(_ node: JSONDocument.Node) throws(WireError) -> Selection.Kinds {
        guard document.kind(node) == .array, document.count(node) > 0 else {
            throw .badRequest("$.select.kind", "kind is a list with at least one kind")
        }
        var kinds: Selection.Kinds = []
        for (index, element) in document.elements(of: node).enumerated() {
            switch document.string(element) {
            case "output": kinds.insert(.output)
            case "state": kinds.insert(.state)
            case "effect": kinds.insert(.effect)
            case "lifecycle": kinds.insert(.lifecycle)
            case "trace": kinds.insert(.trace)
            default:
                throw .badRequest(
                    "$.select.kind[\(index)]",
                    "a kind is one of output, state, effect, lifecycle, trace")
            }
        }
        return kinds
    }

    private func start() throws(WireError) -> Subscribe.Start {
        guard let node = member("from") else { return .now }
        if document.stringEquals(node, "now") { return .now }
        if document.stringEquals(node, "first") { return .first }
        if let last = document.member("last", of: node) {
            let most = Limits.lastStepsMax
            guard let steps = integer(last, in: 1...most) else {
                throw .badRequest("$.from.last", "last is an integer from 1 to \(most)")
            }
            return .last(steps)
        }
        guard let after = document.member("after", of: node) else {
            throw .badRequest(
                "$.from",
                "from is \"now\", \"first\", {\"last\":steps} or {\"after\":cursor}")
        }
        let start: Subscribe.Start? = document.withStringBytes(after) { text in
            if let cursor = cursors.cursor(text) { return .after(cursor) }
            return CursorText.isCursor(text) ? .foreign : .nonsense
        }
        guard let start else { throw .badRequest("$.from.after", "a cursor is a string") }
        return start
    }
}

extension ReplyEncoder {
    func append(
        _ name: SubscriptionName, current: Cursor, first: Cursor, _ writer: inout JSONWriter
    ) {
        writer.name("sub")
        writer.string(utf8: name)
        cursor(current, &writer)
        cursors.append(first, as: #","first":""#, to: &writer)
    }
}
