import GroveWire
import OrderedJSON

extension Client {
    /// Asks whether an instance would accept an event, and for the state that it would reach.
    /// Nothing changes; an absent instance answers as if it were new.
    ///
    /// - Throws: ``ClientError``; an event that isn't the machine's is `BAD_EVENT`.
    public nonisolated func can(
        _ name: String, event: JSONValue, timeout: Duration? = nil
    ) async throws(ClientError) -> CanReply {
        try CanReply(
            try await request(Request.can(name, event: event.serialized()), timeout: timeout))
    }
}

extension Request {
    /// A `can` whose event is JSON text.
    public static func can(_ name: String, event: some Collection<UInt8>) -> Request {
        var request = Request.about(name, .can)
        request.set("event", text: event)
        return request
    }
}
