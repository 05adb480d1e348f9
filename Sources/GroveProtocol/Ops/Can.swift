import GroveEngine
import OrderedJSON
import Transducers

extension RequestDecoder {
    mutating func can(
        _ fields: Fields, _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> Can {
        let (to, node) = try target(fields)
        let (event, text) = event(node, of: to, line)
        return Can(to: to, event: event, eventText: text)
    }
}

extension ReplyEncoder {
    func append(_ can: Reply.Can, _ writer: inout JSONWriter) {
        writer.member("can", can.state != nil)
        if let state = can.state { return writer.member("state", orNull: state) }
        writer.array("accepts", can.accepts)
        writer.member("reason", can.reason)
    }
}
