import GroveWire
import OrderedJSON

/// Effects: seeing them, waiting for what comes of them, and stepping in by hand (protocol.md,
/// "effects" and what follows it).
extension Client {
    /// One page of effects, timers among them: of one instance, or of all.
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`; `nil` for all of them.
    ///   - phase: only effects that wait for this.
    ///   - position: ``Page/next`` of the page before; `nil` begins at the start.
    ///   - limit: how many at most, from 1 to 1,000; `nil` leaves it to the server.
    /// - Throws: ``ClientError/server(_:)`` with `NO_SUCH_INSTANCE`, and every other case of
    ///   ``ClientError`` but `gap`.
    public nonisolated func effects(
        of name: String? = nil, phase: EffectPhase? = nil, after position: String? = nil,
        limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Page<EffectSummary, String> {
        var request = Request(.effects)
        if let name { request.set("to", .string(name)) }
        if let phase { request.set("phase", .string(phase.rawValue)) }
        if let position { request.set("after", .string(position)) }
        if let limit { request.set("limit", .integer(Int64(limit))) }
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

    /// Cancels effects of an instance, whatever they wait for. Their machine hears nothing of it.
    ///
    /// - Returns: What was cancelled; nothing, when nothing was meant.
    /// - Throws: ``ClientError/server(_:)`` with `NO_SUCH_INSTANCE`, and every other case of
    ///   ``ClientError`` but `gap`.
    @discardableResult
    public nonisolated func cancel(
        _ choice: CancelChoice, of name: String, timeout: Duration? = nil
    ) async throws(ClientError) -> CancelReply {
        var request = Request.about(name, .cancel)
        choice.add(to: &request)
        return try CancelReply(try await self.request(request, timeout: timeout))
    }

    /// Begins an effect that has failed for good anew, with all its tries and under a new number;
    /// one that waits for its next try makes it now.
    ///
    /// - Parameters:
    ///   - run: the effect's number.
    ///   - name: the instance, `machine/instance`.
    ///   - event: for a timer, a send or a child's first event that can't be read any more: the
    ///     event that takes its place. A timer that has failed is then due at once.
    /// - Throws: ``ClientError/server(_:)`` with `NO_SUCH_EFFECT` when the instance has no such
    ///   effect or it has not failed, and every other case of ``ClientError`` but `gap`.
    @discardableResult
    public nonisolated func retry(
        effect run: Int64, of name: String, event: JSONValue? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        var request = Request.about(name, .retry)
        request.set("effect", .integer(run))
        if let event { request.set("event", event) }
        return try await self.request(request, timeout: timeout)
    }

    /// Answers an effect that waits for somebody outside, with its result. Only the first answer
    /// counts.
    ///
    /// - Parameters:
    ///   - token: what the effect handed out; whoever has it may answer.
    ///   - result: what the machine makes an event of.
    /// - Throws: ``ClientError/server(_:)`` with `NO_SUCH_EFFECT` when nothing waits under this
    ///   token any more, with `BAD_REQUEST` when the machine can't use the result, in which case
    ///   the effect goes on waiting; and every other case of ``ClientError`` but `gap`.
    @discardableResult
    public nonisolated func complete(
        _ token: String, with result: JSONValue, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        var request = Request(.complete)
        request.set("token", .string(token))
        request.set("result", result)
        return try await self.request(request, timeout: timeout)
    }

    /// Lets an effect that waits for somebody outside fail. Only the first answer counts.
    ///
    /// - Parameters:
    ///   - token: what the effect handed out; whoever has it may answer.
    ///   - reason: why, for the machine and for people.
    /// - Throws: as ``complete(_:with:timeout:)``.
    @discardableResult
    public nonisolated func complete(
        _ token: String, failing reason: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        var request = Request(.complete)
        request.set("token", .string(token))
        request.set("error", .string(reason))
        return try await self.request(request, timeout: timeout)
    }

    /// Waits until an instance is done, or in a state, and answers with it as it is then.
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`.
    ///   - condition: what is waited for.
    ///   - wait: how long at most, a millisecond to an hour; then the error is `TIMEOUT`.
    ///   - timeout: how long to wait for any answer of the server; `nil` is `wait` and
    ///     ``ClientOptions/requestTimeout`` on top.
    /// - Throws: ``ClientError/server(_:)`` with `TIMEOUT`, with `NO_SUCH_INSTANCE`, with
    ///   `INSTANCE_DONE` when it was done before it was in that state; and every other case of
    ///   ``ClientError`` but `gap`.
    public nonisolated func `await`(
        _ name: String, until condition: AwaitCondition = .done, for wait: Duration,
        timeout: Duration? = nil
    ) async throws(ClientError) -> InstanceReply {
        var request = Request.about(name, .await)
        request.set("until", .string(condition.text))
        request.setWait(wait)
        let timeout = timeout ?? wait + options.requestTimeout
        return try InstanceReply(try await self.request(request, timeout: timeout))
    }
}

extension Duration {
    /// Milliseconds, rounded up: what is waited for isn't given up too early.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let unit: Int64 = 1_000_000_000_000_000
        let rest = attoseconds / unit + (attoseconds % unit > 0 ? 1 : 0)
        return min(seconds, .max / 2_000) * 1_000 + rest
    }
}
