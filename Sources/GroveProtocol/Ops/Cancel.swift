import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func cancelChoice() throws(WireError) -> Operation.CancelChoice {
        let effect = member("effect")
        let timer = member("timer")
        let request = member("request")
        let rule = "exactly one of effect, timer and request says what is cancelled"
        switch (effect, timer, request) {
        case (let node?, nil, nil):
            if let number = effectNumber(node) { return .effect(number) }
            return .id(try id(node, "effect", "is an integer from 1, or an id as a string"))
        case (nil, let node?, nil):
            return .timer(try id(node, "timer", "is an id as a string"))
        case (nil, nil, let node?): return .request(try key(node, "request"))
        case (nil, nil, nil): throw .badRequest("$.effect", rule)
        case (_, _, nil): throw .badRequest("$.timer", rule)
        case (_, _, .some): throw .badRequest("$.request", rule)
        }
    }

    private func id(
        _ node: JSONDocument.Node, _ name: StaticString, _ rule: String
    ) throws(WireError) -> String {
        try value(node, name, rule) { document.string($0).flatMap { $0.isEmpty ? nil : $0 } }
    }

    func effectNumber(_ node: JSONDocument.Node) -> Int64? { integer(node, in: 1...Int64.max) }
}

extension ReplyEncoder {
    func append(_ effects: [Int64], _ cursor: Cursor, _ writer: inout JSONWriter) {
        writer.array("cancelled", effects) { $0.integer($1) }
        self.cursor(cursor, &writer)
    }
}
