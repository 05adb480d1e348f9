import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func get(_ fields: Fields) throws(WireError) -> Get {
        Get(
            to: try to(fields), at: try count("at"), wantsStates: try flag("in") ?? false)
    }
}

extension ReplyEncoder {
    mutating func append(_ got: Reply.Got, _ writer: inout JSONWriter) {
        writer.literal(#","state":"#)
        writer.rawOrNull(got.state)
        writer.literal(#","v":"#)
        writer.integer(got.version)
        writer.literal(#","done":"#)
        writer.bool(got.isDone)
        if let states = got.activeStates { writer.array("in", states) }
        if let held = got.held {
            writer.literal(#","held":"#)
            writer.string(held.word)
        }
        if let result = got.result {
            writer.literal(#","result":"#)
            writer.raw(result)
        }
        if let reason = got.reason {
            writer.literal(#","reason":"#)
            writer.string(reason)
        }
        writer.object("definition") { $0.members(of: got.definition) }
        append(effectsOfOne: got.effects, &writer)
    }
}
