import GroveWire
public import OrderedJSON

extension Client {
    /// Gives an instance of a machine as data another version of its definition.
    ///
    /// - Parameters:
    ///   - version: The version; `nil` for the machine's present one.
    ///   - states: The new names of states by the former ones, where they differ; without `states`
    ///     and `context`, what the definition says.
    ///   - context: Expressions for members of the context, over the former `context`.
    ///   - isTrial: Whether the server tries everything and changes nothing.
    /// - Throws: ``ClientError``, such as `EVAL_ERROR` when the instance can't be migrated.
    public nonisolated func migrate(
        _ name: String, to version: String? = nil, states: JSONValue? = nil,
        context: JSONValue? = nil, isTrial: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        let request = Request.about(name, .migrate).with("version", version)
            .with("states", states).with("context", context)
            .with("trial", isTrial ? .bool(true) : nil)
        return try await self.request(request, timeout: timeout)
    }
}
