import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    func history(_ fields: Fields) throws(WireError) -> History {
        History(to: try to(fields), after: try count("after") ?? 0, limit: try limit())
    }
}

extension ReplyEncoder {
    mutating func append(
        _ steps: [JournalRecord], next: Int64?, first: Int64?, _ writer: inout JSONWriter
    ) {
        writer.array("items", steps) { writer, step in
            writer.object { writer in
                writer.member("v", step.version)
                writer.member("event", orNull: step.event ?? [])
                writer.outputs(step.outputs)
                if let state = step.state { writer.member("state", orNull: state) }
                times.append(step.at, as: #","at":""#, to: &writer)
                if let dedup = step.dedup {
                    writer.name("dedup")
                    dedup.withUnsafeBytes { writer.string(utf8: $0) }
                }
                writer.member("by", names.name(of: step.by))
                writer.member("traceparent", step.trace?.text)
            }
        }
        writer.member("next", next)
        writer.member("first", first)
    }
}
