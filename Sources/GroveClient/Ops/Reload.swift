import GroveWire

extension Client {
    /// Makes the server read its configuration, certificates and secrets again, as after SIGHUP.
    ///
    /// - Throws: ``ClientError``, such as `BAD_REQUEST` for a configuration that can't be used;
    ///   then nothing has changed.
    @discardableResult
    public nonisolated func reload(
        timeout: Duration? = nil
    ) async throws(ClientError) -> ReloadReply {
        var request = Request(.reload)
        request.isRepeatable = true
        return try ReloadReply(try await self.request(request, timeout: timeout))
    }
}

/// What a server uses again.
public struct ReloadReply: Sendable {
    /// The words of the keys that changed, such as `tls-certificate`.
    public let changed: [String]
    /// Everything the server sent.
    public let reply: Reply

    init(_ reply: Reply) throws(ClientError) {
        changed = reply.fields.strings("changed")
        self.reply = reply
    }
}
