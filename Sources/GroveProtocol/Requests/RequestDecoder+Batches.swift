import GroveEngine
import OrderedJSON
import Transducers

/// The ops `batch`, `can` and `describe`.
extension RequestDecoder {
    /// Reads a `batch`. What is wrong with an item is that item's answer.
    mutating func batch(_ line: UnsafeRawBufferPointer) throws(WireError) -> SendBatch {
        guard let list = member("items") else {
            throw .badRequest("$.items", "items is missing")
        }
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
                let placed = error.inside("\(fieldsPath).items[\(index)]")
                items.append(
                    .refused(.badRequest(path: placed.path ?? "$", message: placed.message)))
            }
        }
        return SendBatch(items: items, isAtomic: isAtomic)
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
        let send = try send(fields, line)
        guard send.settle == .none else {
            throw .badRequest("$.settle", "an item of a batch waits for no effects")
        }
        return send
    }

    /// Reads a `can`.
    mutating func can(
        _ fields: Fields, _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> Can {
        let (to, node) = try target(fields)
        let (event, text) = event(node, of: to, line)
        return Can(to: to, event: event, eventText: text)
    }

    /// Reads a `describe`.
    func describe() throws(WireError) -> Describe {
        guard let name = try text("name") else {
            throw .badRequest("$.name", "name is missing")
        }
        let format = try word("format", ["mermaid", "dot"])
        return Describe(name: name, format: format == "dot" ? .dot : .mermaid)
    }
}
