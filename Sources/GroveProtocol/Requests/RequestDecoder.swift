public import GroveEngine
import GroveWire
import OrderedJSON

/// Reads lines as requests: everything about a line that can be checked without looking at an
/// instance (protocol.md, "Requests and replies").
///
/// One decoder serves all connections of a queue, so that its document, and the events it
/// remembers of each machine, are reused from line to line.
public struct RequestDecoder: Sendable {
    var document = JSONDocument()
    var machines: MachineTable
    /// What the line that was read last asks for; `nil` when that can't be told.
    private(set) var op: Op?
    let cursors: CursorText
    /// Whoever notes whose events are being read.
    var witness: (any StepWitness & Sendable)?
    /// Instances and machines whose events aren't read.
    var withheld: Set<HoldSubject> = []
    private var limits: JSONLimits
    /// Where the request's fields are; `nil` for the line's root.
    var fieldsPlace: JSONDocument.Node?
    /// The path of that place behind the `$` of the root.
    var fieldsPath = ""

    /// A decoder for requests to these machines.
    ///
    /// - Parameters:
    ///   - catalogue: The machines whose events can be decoded.
    ///   - cursors: The text form of this log's cursors.
    ///   - lineBytesMax: Bytes of the longest line it will be given.
    public init(catalogue: Catalogue, cursors: CursorText, lineBytesMax: Int) {
        machines = MachineTable(catalogue)
        self.cursors = cursors
        limits = JSONLimits(
            depthMax: ServerLimits.depthMax, bytesMax: max(lineBytesMax, 1),
            valuesMax: ServerLimits.valuesMax)
    }

    /// Takes lines of so many bytes from now on; connections may still have longer ones.
    mutating func allowLines(of bytes: Int) { limits.bytesMax = max(limits.bytesMax, bytes) }

    /// Where the request's fields are.
    var place: JSONDocument.Node { fieldsPlace ?? document.root }

    /// Reads one line, without its newline. Never fails: what is wrong is part of the answer.
    public mutating func decode(_ line: UnsafeRawBufferPointer) -> DecodedLine {
        op = nil
        do {
            try document.parse(line, limits: limits)
        } catch {
            return DecodedLine(
                answer: .null,
                body: .refusal(
                    WireError(.badJSON, error.message) { data in
                        data.literal(#""at":"#)
                        data.integer(Int64(error.offset))
                    }), shape: nil)
        }
        guard document.kind(document.root) == .object else {
            return DecodedLine(
                answer: .null, body: .refusal(.noRequest("$", "a request is an object")),
                shape: nil, isArray: document.kind(document.root) == .array)
        }
        let fields = Fields(document, of: document.root, line)
        if let version = fields.jsonrpc, document.stringEquals(version, "2.0") {
            return decodeJSONRPC(fields, line)
        }
        let answer: DecodedLine.Answer
        do {
            answer = try self.answer(fields, line)
        } catch {
            return DecodedLine(answer: .null, body: .refusal(error))
        }
        do throws(WireError) {
            guard let op = fields.op else { throw .badRequest("$.op", "an op is missing") }
            guard document.kind(op) == .string else {
                throw .badRequest("$.op", "an op is a string")
            }
            return DecodedLine(
                answer: answer, body: try body(op, at: "$.op", fields, line))
        } catch {
            return DecodedLine(answer: answer, body: .refusal(error))
        }
    }

    /// Who is answered.
    func answer(
        _ fields: Fields, _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> DecodedLine.Answer {
        guard let id = fields.id else { return .none }
        switch document.kind(id) {
        case .string, .integer:
            return .id(RequestID(UnsafeRawBufferPointer(rebasing: line[document.range(id)])))
        case .null: return .none
        case .bool, .double, .array, .object:
            throw .noRequest("$.id", "an id is a string or an integer")
        }
    }

    /// What the op of this name asks for, with these fields.
    mutating func body(
        _ node: JSONDocument.Node, at path: String, _ fields: Fields,
        _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> DecodedLine.Body {
        guard let op = Op(document, node) else {
            throw WireError(.unknownOp, at: path, Op.problem(document.string(node)))
        }
        self.op = op
        switch op {
        case .send: return .operation(.send(try send(fields, line)))
        case .create: return .operation(.create(try create(fields)))
        case .get:
            return .operation(.get(Get(to: try to(fields), at: try count("at"))))
        case .list: return .operation(.list(try list()))
        case .history:
            return .operation(
                .history(
                    History(
                        to: try to(fields), after: try count("after") ?? 0,
                        limit: try limit())))
        case .subscribe: return .operation(.subscribe(try subscribe()))
        case .unsubscribe: return .operation(.unsubscribe(try subscriptionName()))
        case .credit:
            let name = try subscriptionName()
            return .operation(.credit(name, try grant()))
        case .stop:
            return .operation(
                .stop(
                    try to(fields),
                    reason: try text("reason", bytesMax: Limits.stopReasonBytesMax)))
        case .suspend:
            return .operation(
                .suspend(
                    try held(fields),
                    reason: try text("reason", bytesMax: Limits.stopReasonBytesMax)))
        case .resume: return .operation(.resume(try held(fields)))
        case .delete: return .operation(.delete(try to(fields)))
        case .effects, .cancel, .retry, .complete, .await:
            return .operation(try aboutEffects(op, fields))
        case .batch: return .operation(.batch(try batch(line)))
        case .can: return .operation(.can(try can(fields, line)))
        case .describe: return .operation(.describe(try describe()))
        case .import: return .operation(.importing(try importing(fields)))
        case .backup: return .operation(.backup(BackupRequest(try backupAction())))
        case .definitions: return .operation(.definitions)
        case .stats: return .operation(.stats)
        case .ping:
            let echo = member("t").map { document.text($0) }
            return try flag("health") == true ? .health(echo) : .ping(echo)
        case .hello: return .hello(try hello())
        }
    }

    private func hello() throws(WireError) -> DecodedLine.Hello {
        var proto: Int64 = ProtocolVersion.current
        if let node = member("proto") {
            guard let number = document.integer(node) else {
                throw .badRequest("$.proto", "proto is one integer")
            }
            proto = number
        }
        _ = try text("client")
        _ = try text("token")
        let order = try word("order", ["any", "strict"])
        guard proto == ProtocolVersion.current else {
            throw WireError(.unsupportedProto, "this server speaks 1, not \(proto)") { data in
                data.literal(#""at":"$.proto","proto":[1]"#)
            }
        }
        return DecodedLine.Hello(proto: proto, isOrderStrict: order == "strict")
    }
}

/// The members of a request that most requests have, found in one pass.
struct Fields {
    var id: JSONDocument.Node?
    var op: JSONDocument.Node?
    var to: JSONDocument.Node?
    var event: JSONDocument.Node?
    var dedup: JSONDocument.Node?
    var expect: JSONDocument.Node?
    var create: JSONDocument.Node?
    var reply: JSONDocument.Node?
    var settle: JSONDocument.Node?
    var timeout: JSONDocument.Node?
    var jsonrpc: JSONDocument.Node?

    /// Finds them in an object; there are none in anything else.
    init(
        _ document: JSONDocument, of object: JSONDocument.Node, _ line: UnsafeRawBufferPointer
    ) {
        for (name, value) in document.members(of: object) {
            let range = document.range(name)
            // With the quotes; a name written with escapes is longer, but may still be one of
            // ours, so the first byte only sorts out what it can't be.
            switch (range.count, line[range.lowerBound + 1]) {
            case (4, UInt8(ascii: "i")) where document.stringEquals(name, "id"): id = value
            case (4, UInt8(ascii: "o")) where document.stringEquals(name, "op"): op = value
            case (4, UInt8(ascii: "t")) where document.stringEquals(name, "to"): to = value
            case (7, UInt8(ascii: "e")) where document.stringEquals(name, "event"):
                event = value
            case (7, UInt8(ascii: "d")) where document.stringEquals(name, "dedup"):
                dedup = value
            case (7, UInt8(ascii: "r")) where document.stringEquals(name, "reply"):
                reply = value
            case (8, UInt8(ascii: "e")) where document.stringEquals(name, "expect"):
                expect = value
            default: takeRare(document, name, value)
            }
        }
    }

    private mutating func takeRare(
        _ document: JSONDocument, _ name: JSONDocument.Node, _ value: JSONDocument.Node
    ) {
        document.withStringBytes(name) { bytes in
            func isName(_ text: StaticString) -> Bool {
                text.withUTF8Buffer { bytes.elementsEqual($0) }
            }
            if isName("create") {
                create = value
            } else if isName("settle") {
                settle = value
            } else if isName("timeout_ms") {
                timeout = value
            } else if isName("jsonrpc") {
                jsonrpc = value
            } else if isName("id") {
                id = value
            } else if isName("op") {
                op = value
            } else if isName("to") {
                to = value
            } else if isName("event") {
                event = value
            } else if isName("dedup") {
                dedup = value
            } else if isName("reply") {
                reply = value
            } else if isName("expect") {
                expect = value
            }
        }
    }
}

extension Op {
    /// The message about an unknown name: the most similar op, and all there are.
    static func problem(_ name: String?) -> String {
        let names = allCases.map(\.rawValue)
        let known = "known ops are " + names.joined(separator: ", ")
        let meant = name.flatMap { EditDistance.meant(by: $0, of: names) }
        return (meant.map { "did you mean \"\($0)\"? " } ?? "") + known
    }
}
