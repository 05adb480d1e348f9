import GroveEngine
import OrderedJSON

extension RequestDecoder {
    /// What is suspended or resumed: exactly one member says so.
    func held(_ fields: Fields) throws(WireError) -> HoldSubject {
        switch (fields.to, try machineName()) {
        case (_?, nil): return .instance(try to(fields))
        case (nil, let machine?): return .machine(machine)
        case (nil, nil), (_?, _?):
            throw .badRequest("$.to", "exactly one of to and machine says what is held")
        }
    }
}

extension ReplyEncoder {
    /// Appends the fields of the replies to `suspend` and `resume`.
    func append(
        version: Int64?, isChanged: Bool, _ place: Cursor, _ writer: inout JSONWriter
    ) {
        writer.member("v", version)
        cursor(place, &writer)
        writer.member("changed", isChanged)
    }
}
