import GroveWire
import OrderedJSON

extension Client {
    /// One page of effects, timers among them: of one instance, or of all.
    ///
    /// - Parameters:
    ///   - name: The instance, `machine/instance`; `nil` for all instances.
    ///   - phase: Only effects in this phase.
    ///   - position: ``Page/next`` of the page before; `nil` begins at the start.
    ///   - limit: The largest number of effects, from 1 to 1,000; `nil` leaves it to the server.
    /// - Throws: ``ClientError``, such as `NO_SUCH_INSTANCE` of the server.
    public nonisolated func effects(
        of name: String? = nil, phase: EffectPhase? = nil, after position: String? = nil,
        limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Page<EffectSummary, String> {
        let request = Request(.effects).with("to", name).with("phase", phase?.rawValue)
            .with("after", position).with("limit", limit)
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.string("next"))
    }

    /// All effects of one instance, or of all, fetched `pageSize` at a time.
    public nonisolated func allEffects(
        of name: String? = nil, phase: EffectPhase? = nil, pageSize: Int = 1000
    ) -> PagedSequence<EffectSummary, String> {
        PagedSequence(start: nil) { position throws(ClientError) in
            try await self.effects(of: name, phase: phase, after: position, limit: pageSize)
        }
    }
}
