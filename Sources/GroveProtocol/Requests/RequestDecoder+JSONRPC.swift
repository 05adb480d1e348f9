import GroveWire
import OrderedJSON

/// The second shape of a line, JSON-RPC 2.0 (protocol.md, "JSON-RPC 2.0"; the specification at
/// jsonrpc.org, sections 4 and 5).
extension RequestDecoder {
    mutating func decodeJSONRPC(
        _ envelope: Fields, _ line: UnsafeRawBufferPointer
    ) -> DecodedLine {
        var answer = DecodedLine.Answer.null
        do throws(WireError) {
            answer = try self.answer(envelope, line)
            let method = try method()
            let params = try params()
            fieldsNode = params ?? method
            fieldsPath = ".params"
            defer {
                fieldsNode = nil
                fieldsPath = ""
            }
            // Without params there are no fields: a string has no members.
            let fields = Fields(document, of: params ?? method, line)
            if let params, document.kind(params) == .array {
                throw .badRequest("$", "params is an object: the fields have names")
            }
            return DecodedLine(
                answer: answer, body: try body(method, at: Self.methodPath, fields, line),
                shape: .jsonRPC, trace: try trace(fields))
        } catch {
            // A line that is no request is always answered (section 5).
            if error.isNoRequest, answer == .none { answer = .null }
            let isPlaced = error.isNoRequest || error.code == .unknownOp
            return DecodedLine(
                answer: answer, body: .refusal(isPlaced ? error : error.inside(".params")),
                shape: .jsonRPC)
        }
    }

    private static let methodPath = "$.method"

    private func method() throws(WireError) -> JSONDocument.Node {
        guard let node = document.member("method", of: document.root) else {
            throw .noRequest(Self.methodPath, "a method is missing")
        }
        guard document.kind(node) == .string else {
            throw .noRequest(Self.methodPath, "a method is a string")
        }
        return node
    }

    private func params() throws(WireError) -> JSONDocument.Node? {
        guard let node = document.member("params", of: document.root) else { return nil }
        switch document.kind(node) {
        case .object, .array: return node
        case .null, .bool, .integer, .double, .string:
            throw .noRequest("$.params", "params is an object")
        }
    }
}
