import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON
import Transducers

extension RequestDecoder {
    mutating func batch(_ line: UnsafeRawBufferPointer) throws(WireError) -> SendBatch {
        let list = try required(member("items"), "items")
        guard document.kind(list) == .array else {
            throw .badRequest("$.items", "items is an array of sends")
        }
        guard document.count(list) <= Limits.batchItemsMax else {
            throw .badRequest("$.items", "a batch has at most \(Limits.batchItemsMax) items")
        }
        let isAtomic = try flag("atomic") ?? false
        var items: [SendBatch.Item] = []
        items.reserveCapacity(document.count(list))
        for (index, node) in document.elements(of: list).enumerated() {
            do throws(WireError) {
                items.append(.send(try item(node, line)))
            } catch {
                items.append(.refused(refusal(of: error, index)))
            }
        }
        return SendBatch(items: items, isAtomic: isAtomic)
    }

    private func refusal(of error: WireError, _ index: Int) -> Failure {
        switch error.code {
        case .forbidden: return .forbidden(verb: Verb.send.rawValue)
        default:
            let placed = error.inside("\(fieldsPath).items[\(index)]")
            return .badRequest(path: placed.path ?? "$", message: placed.message)
        }
    }

    private mutating func item(
        _ node: JSONDocument.Node, _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> Send {
        guard document.kind(node) == .object else {
            throw .badRequest("$", "an item is an object: the fields of a send")
        }
        let fields = Fields(document, of: node, line)
        if let op = fields.op, !document.stringEquals(op, "send") {
            throw .badRequest("$.op", "an item is a send")
        }
        try requireAccess(.send, fields)
        let send = try send(fields, line)
        guard send.settle == .none else {
            throw .badRequest("$.settle", "an item of a batch waits for no effects")
        }
        guard document.member("traceparent", of: node) == nil else {
            throw .badRequest("$.traceparent", "an item of a batch has the trace of the batch")
        }
        return send
    }
}

extension ReplyEncoder {
    /// Appends `results`: each like the reply to a `send`, without an id. Errors have the shape of
    /// the line.
    func append(
        _ results: [Reply.BatchResult], as shape: LineShape, _ writer: inout JSONWriter
    ) {
        writer.array("results", results) { writer, result in
            writer.object { writer in
                switch result {
                case .sent(let sent):
                    writer.literal(#""ok":true,"v":"#)
                    append(sent, &writer)
                case .failure(let failure):
                    // Its path, if it has one, begins at the line's root.
                    let error = WireError(failure, cursors: cursors)
                    switch shape {
                    case .plain: error.append(to: &writer)
                    case .jsonRPC: error.appendJSONRPC(to: &writer)
                    }
                }
            }
        }
    }
}
