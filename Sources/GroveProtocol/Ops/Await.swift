import GroveEngine
import OrderedJSON

extension RequestDecoder {
    func awaited(_ fields: Fields) throws(WireError) -> Await {
        let to = try to(fields)
        let until = try required(text("until", bytesMax: Limits.stateNameBytesMax), "until")
        guard !until.isEmpty else {
            throw .badRequest("$.until", "until is \"done\" or the name of a state")
        }
        let timeout = try required(fields.timeout, "timeout_ms")
        return Await(
            to: to, until: until == "done" ? .done : .state(until),
            timeout: try waitingTime(timeout), wantsStates: try flag("in") ?? false)
    }
}
