import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func create(_ fields: Fields) throws(WireError) -> Create {
        let to = try to(fields)
        let input = member("input").map { document.kind($0) != .null } ?? false
        return Create(to: to, hasInput: input, dedup: try dedup(fields))
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
