import GroveAccess
import GroveEngine
import GroveWire
import OrderedJSON

extension RequestDecoder {
    /// The member `token`, without its text: `nil` for a text that is no token.
    func tokenMember(required isRequired: Bool) throws(WireError) -> DigestedToken? {
        guard let node = member("token") else {
            guard isRequired else { return nil }
            throw .badRequest("$.token", "token is missing")
        }
        let claim = document.withStringBytes(node) { bytes -> DigestedToken?? in
            guard let token = BearerToken(bytes) else { return .some(nil) }
            return DigestedToken(token)
        }
        guard let claim else { throw .badRequest("$.token", "token is a string") }
        return claim ?? nil
    }
}

extension ReplyEncoder {
    /// Appends a time of accounts, if there is one.
    mutating func instant(
        _ milliseconds: Int64?, as name: StaticString, _ writer: inout JSONWriter
    ) {
        guard let milliseconds else { return }
        times.append(Timestamp(milliseconds: milliseconds), as: name, to: &writer)
    }
}
