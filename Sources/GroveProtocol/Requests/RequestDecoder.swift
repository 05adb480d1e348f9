import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

/// Decodes lines as requests, and checks everything that needs no instance (protocol.md, "Requests
/// and replies").
///
/// One decoder serves all connections of a queue, so that its document and its memory of events are
/// reused from line to line.
package struct RequestDecoder {
    var document = JSONDocument()
    var machines: MachineTable
    var op: Op?
    /// The number of the turn whose requests are decoded.
    private(set) var turn: UInt64 = 1
    let cursors: CursorText
    /// Records the instance whose event is decoded.
    var witness: (any StepWitness & Sendable)?
    var withheld: Set<HoldSubject> = []
    /// Makes the tokens of the op `token`; `nil` where there is nothing to make them from.
    var makeToken: (@Sendable () -> BearerToken)?
    /// Decides about the line; `nil` where its client may do everything.
    var judge: AccessJudge?
    private var limits: JSONLimits
    /// The object with the request's fields; `nil` for the line's root.
    var fieldsNode: JSONDocument.Node?
    /// The path of that object after the `$` of the root.
    var fieldsPath = ""

    package init(catalogue: Catalogue, cursors: CursorText, lineBytesMax: Int) {
        machines = MachineTable(catalogue)
        self.cursors = cursors
        limits = JSONLimits(
            depthMax: ServerLimits.depthMax, bytesMax: max(lineBytesMax, 1),
            valuesMax: ServerLimits.valuesMax)
    }

    /// Sets the machines; recently decoded events are forgotten.
    mutating func change(_ catalogue: Catalogue) { machines = MachineTable(catalogue) }

    /// See ``ProtocolContext/endTurn()``.
    mutating func endTurn() { turn += 1 }

    /// Accepts lines of at least this length; connections may still send longer ones.
    mutating func allowLines(of bytes: Int) { limits.bytesMax = max(limits.bytesMax, bytes) }

    var fields: JSONDocument.Node { fieldsNode ?? document.root }

    /// Decodes one line, without its newline. Errors are part of the result.
    package mutating func decode(_ line: UnsafeRawBufferPointer) -> DecodedLine {
        op = nil
        do {
            try document.parse(line, limits: limits)
        } catch {
            return DecodedLine(
                answer: .null,
                body: .refusal(
                    WireError(.badJSON, error.message) { $0.member("at", Int64(error.offset)) }),
                shape: nil)
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
        var answer = DecodedLine.Answer.null
        do throws(WireError) {
            answer = try self.answer(fields, line)
            guard let op = fields.op else { throw .badRequest("$.op", "an op is missing") }
            guard document.kind(op) == .string else {
                throw .badRequest("$.op", "an op is a string")
            }
            return DecodedLine(
                answer: answer, body: try body(op, at: "$.op", fields, line),
                trace: try trace(fields))
        } catch {
            return DecodedLine(answer: answer, body: .refusal(error))
        }
    }

    /// The member `traceparent`, which any request may have.
    func trace(_ fields: Fields) throws(WireError) -> TraceParent? {
        guard let node = fields.traceparent, document.kind(node) != .null else { return nil }
        var trace: TraceParent?
        if document.kind(node) == .string {
            trace = document.withStringBytes(node) { TraceParent($0) } ?? nil
        }
        guard let trace else {
            throw .badRequest(
                "$.traceparent",
                "traceparent is as W3C's Trace Context, version 00, writes it: "
                    + "00-, 32 digits, -, 16 digits, -, 2 digits, hexadecimal in small letters")
        }
        return trace
    }

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
}

extension Op {
    /// The message about an unknown name: the most similar op, and the list of all.
    static func problem(_ name: String?) -> String {
        let names = allCases.map(\.rawValue)
        let known = "known ops are " + names.joined(separator: ", ")
        let meant = name.flatMap { EditDistance.meant(by: $0, of: names) }
        return (meant.map { "did you mean \"\($0)\"? " } ?? "") + known
    }
}
