import GroveWire

extension Client {
    /// Waits until an instance is done, or in a state, and returns it as it is then.
    ///
    /// - Parameters:
    ///   - name: The instance, `machine/instance`.
    ///   - condition: The condition to wait for.
    ///   - wait: The longest wait, from a millisecond to an hour; then the error is `TIMEOUT`.
    ///   - timeout: The longest wait for any answer of the server; `nil` is `wait` plus
    ///     ``ClientOptions/requestTimeout``.
    /// - Throws: ``ClientError/server(_:)`` with `TIMEOUT`, with `NO_SUCH_INSTANCE`, with
    ///   `INSTANCE_DONE` when it was done before it was in that state; and every other case of
    ///   ``ClientError`` but `gap`.
    public nonisolated func `await`(
        _ name: String, until condition: AwaitCondition = .done, for wait: Duration,
        timeout: Duration? = nil
    ) async throws(ClientError) -> InstanceReply {
        var request = Request.about(name, .await).with("until", condition.text)
        request.setWait(wait)
        let timeout = timeout ?? wait + options.requestTimeout
        return try InstanceReply(try await self.request(request, timeout: timeout))
    }
}
