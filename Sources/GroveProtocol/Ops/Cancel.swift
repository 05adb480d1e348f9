import GroveEngine
import OrderedJSON

extension RequestDecoder {
    /// What is cancelled: exactly one member says so.
    func cancelChoice() throws(WireError) -> Operation.CancelChoice {
        let effect = member("effect")
        let timer = member("timer")
        let request = member("request")
        let rule = "exactly one of effect, timer and request says what is cancelled"
        switch (effect, timer, request) {
        case (let node?, nil, nil):
            if let number = effectNumber(node) { return .effect(number) }
            guard let id = document.string(node), !id.isEmpty else {
                throw .badRequest(
                    "$.effect", "effect is an integer from 1, or an id as a string")
            }
            return .id(id)
        case (nil, let node?, nil):
            guard let id = document.string(node), !id.isEmpty else {
                throw .badRequest("$.timer", "timer is an id as a string")
            }
            return .timer(id)
        case (nil, nil, let node?): return .request(try key(node, "request"))
        case (nil, nil, nil): throw .badRequest("$.effect", rule)
        case (_, _, nil): throw .badRequest("$.timer", rule)
        case (_, _, .some): throw .badRequest("$.request", rule)
        }
    }

    func effectNumber(_ node: JSONDocument.Node) -> Int64? {
        document.integer(node).flatMap { $0 >= 1 ? $0 : nil }
    }
}

extension ReplyEncoder {
    /// Appends the fields of a reply to `cancel`.
    func append(_ effects: [Int64], _ place: Cursor, _ writer: inout JSONWriter) {
        writer.array("cancelled", effects) { $0.integer($1) }
        cursor(place, &writer)
    }
}
