import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func create(_ fields: Fields) throws(WireError) -> Create {
        let to = try to(fields)
        var input: JSONValue?
        if let node = member("input"), document.kind(node) != .null {
            input = document.value(node)
        }
        return Create(to: to, input: input, dedup: try dedup(fields))
    }
}

extension ReplyEncoder {
    func append(_ created: Reply.Created, _ writer: inout JSONWriter) {
        writer.literal(#","v":0"#)
        cursor(created.cursor, &writer)
        if let state = created.state {
            writer.member("state", orNull: state)
            writer.outputs(created.outputs)
        }
        ending(isDone: created.isDone, isDuplicate: created.isDuplicate, &writer)
    }
}
