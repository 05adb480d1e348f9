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
        let operation: Operation
        switch op {
        case .send: operation = .send(try send(fields, line))
        case .create: operation = .create(try create(fields))
        case .get: operation = .get(try get(fields))
        case .list: operation = .list(try list())
        case .history: operation = .history(try history(fields))
        case .subscribe: operation = .subscribe(try subscribe())
        case .unsubscribe: operation = .unsubscribe(try subscriptionName())
        case .credit: operation = .credit(try subscriptionName(), try grant())
        case .stop: operation = .stop(try to(fields), reason: try reason())
        case .suspend: operation = .suspend(try held(fields), reason: try reason())
        case .resume: operation = .resume(try held(fields))
        case .delete: operation = .delete(try to(fields))
        case .effects: operation = .effects(try effects(fields))
        case .cancel: operation = .cancel(try to(fields), try cancelChoice())
        case .retry: operation = try retry(fields)
        case .complete: operation = try complete()
        case .await: operation = .await(try awaited(fields))
        case .batch: operation = .batch(try batch(line))
        case .can: operation = .can(try can(fields, line))
        case .describe: operation = .describe(try describe())
        case .import: operation = .importing(try importing(fields))
        case .backup: operation = .backup(BackupRequest(try backupAction()))
        case .definitions: operation = .definitions
        case .stats: operation = .stats
        case .ping:
            let echo = member("t").map { document.text($0) }
            return try flag("health") == true ? .health(echo) : .ping(echo)
        case .hello: return .hello(try hello())
        }
        return .operation(operation)
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
