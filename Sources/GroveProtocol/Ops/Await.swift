import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func awaited(_ fields: Fields) throws(WireError) -> Await {
        let to = try to(fields)
        guard let until = try text("until", bytesMax: Limits.stateNameBytesMax) else {
            throw .badRequest("$.until", "until is missing")
        }
        guard !until.isEmpty else {
            throw .badRequest("$.until", "until is \"done\" or the name of a state")
        }
        guard let timeout = fields.timeout else {
            throw .badRequest("$.timeout_ms", "timeout_ms is missing")
        }
        return Await(
            to: to, until: until == "done" ? .done : .state(until),
            timeout: try waitingTime(timeout))
    }
}
