import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func retry(_ fields: Fields) throws(WireError) -> Operation {
        let to = try to(fields)
        // Without an effect, the client means an instance that is set aside.
        guard let node = member("effect") else { return .retry(to, effect: nil) }
        let number = try value(node, "effect", "is an integer from 1") { effectNumber($0) }
        return .retry(to, effect: number, event: fields.event.map { document.value($0) })
    }
}
