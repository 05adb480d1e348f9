import GroveWire

extension Client {
    /// Waits until an instance is done, or in a state, and returns it as it is then.
    ///
    /// - Parameters:
    ///   - wait: The longest wait, from a millisecond to an hour; then the error is `TIMEOUT`.
    ///   - timeout: `nil` is `wait` plus ``ClientOptions/requestTimeout``.
    /// - Throws: ``ClientError``, such as `TIMEOUT`, `NO_SUCH_INSTANCE`, or `INSTANCE_DONE` when it
    ///   was done before it was in that state.
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
