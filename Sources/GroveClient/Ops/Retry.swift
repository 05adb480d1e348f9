import GroveWire
import OrderedJSON

extension Client {
    /// Restarts an effect that has failed for good, with all its attempts and a new number. An
    /// effect that waits for its next attempt makes it now.
    ///
    /// - Parameter event: For a timer, a send or a child's first event that can't be read any more:
    ///   the event that replaces it. A timer that has failed is then due at once.
    /// - Throws: ``ClientError``; an effect that is absent or has not failed is `NO_SUCH_EFFECT`.
    @discardableResult
    public nonisolated func retry(
        effect run: Int64, of name: String, event: JSONValue? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        let request = Request.about(name, .retry).with("effect", run).with("event", event)
        return try await self.request(request, timeout: timeout)
    }

    /// Resumes an instance that the server has set aside, because its steps had ended the process
    /// (`SET_ASIDE`).
    ///
    /// - Throws: ``ClientError``; an instance that isn't set aside is `BAD_REQUEST`.
    @discardableResult
    public nonisolated func retry(
        _ name: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await request(Request.about(name, .retry), timeout: timeout)
    }
}
