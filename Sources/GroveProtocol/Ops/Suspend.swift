import GroveEngine
import OrderedJSON

extension RequestDecoder {
    /// The instance or machine to suspend or resume; exactly one member has it.
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
    func append(
        version: Int64?, isChanged: Bool, _ cursor: Cursor, _ writer: inout JSONWriter
    ) {
        writer.member("v", version)
        self.cursor(cursor, &writer)
        writer.member("changed", isChanged)
    }
}
