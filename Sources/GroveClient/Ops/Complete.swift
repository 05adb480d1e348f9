import GroveWire
import OrderedJSON

extension Client {
    /// Answers an effect that waits for an answer from outside, with its result. Only the first
    /// answer counts.
    ///
    /// - Parameters:
    ///   - token: The effect's token; everybody with the token may answer.
    ///   - result: The result that the machine makes an event of.
    /// - Throws: ``ClientError``, such as `NO_SUCH_EFFECT` when no effect waits with this token, or
    ///   `BAD_REQUEST` when the machine can't use the result; then the effect keeps waiting.
    @discardableResult
    public nonisolated func complete(
        _ token: String, with result: JSONValue, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        let request = Request(.complete).with("token", token).with("result", result)
        return try await self.request(request, timeout: timeout)
    }

    /// Fails an effect that waits for an answer from outside, as ``complete(_:with:timeout:)``
    /// answers it.
    ///
    /// - Parameter reason: The reason, for the machine and for people.
    @discardableResult
    public nonisolated func complete(
        _ token: String, failing reason: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        let request = Request(.complete).with("token", token).with("error", reason)
        return try await self.request(request, timeout: timeout)
    }
}
