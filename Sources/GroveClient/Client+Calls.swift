import GroveWire
import OrderedJSON

extension Client {
    /// Sends an event to an instance and waits until what it caused is stored.
    ///
    /// Within its time it is sent again as often as it takes, and applied once
    /// (``RetryPolicy``).
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`.
    ///   - event: a string, or an object with a member `type`.
    ///   - dedup: a key of at most 200 bytes; the same event with the same key is done once,
    ///     however often it is sent, and gets the same reply. Without one the client makes one,
    ///     unless ``RetryPolicy/makesKeys`` is off: it protects this call, and not a second one.
    ///   - expectation: what the instance must be like, else `VERSION_CONFLICT`.
    ///   - creation: whether the event may create its instance; `nil` leaves it to the server,
    ///     which creates it.
    ///   - detail: how much the reply tells.
    ///   - settling: which effects the reply waits for.
    ///   - wait: how long it waits for them at most, a millisecond to an hour; then the error is
    ///     `TIMEOUT`, and the event was applied. `nil` is an hour.
    ///   - timeout: how long to wait for any answer of the server; `nil` is
    ///     ``ClientOptions/requestTimeout``, and `wait` on top where there are effects to wait for.
    /// - Throws: ``ClientError``. When ``ClientError/isOutcomeUnknown`` holds, a repeat with the
    ///   same dedup key is safe, one without, or with one that the client made, may do the event
    ///   twice.
    public nonisolated func send(
        to name: String, event: JSONValue, dedup: String? = nil,
        expect expectation: Expectation? = nil,
        create creation: CreationMode? = nil, reply detail: ReplyDetail = .min,
        settle settling: Settling = .none, for wait: Duration? = nil,
        timeout: Duration? = nil
    ) async throws(ClientError) -> SendReply {
        let request = Request.send(
            to: name, event: event.serialized(), dedup: dedup, expect: expectation,
            create: creation, reply: detail, settle: settling, for: wait)
        let patience = settling == .none ? nil : (wait ?? .seconds(3600)) + options.requestTimeout
        return try SendReply(try await self.request(request, timeout: timeout ?? patience))
    }

    /// Creates an instance in its initial state, version 0.
    ///
    /// - Throws: ``ClientError/server(_:)`` with `ALREADY_EXISTS` when there is one, and all
    ///   other cases of ``ClientError`` but `gap`.
    public nonisolated func create(
        _ name: String, input: JSONValue? = nil, dedup: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> InstanceReply {
        var request = Request.about(name, .create)
        if let input { request.set("input", input) }
        if let dedup { request.set("dedup", .string(dedup)) }
        return try InstanceReply(try await self.request(request, timeout: timeout))
    }

    /// An instance as it is, or as it was at `version`.
    ///
    /// - Throws: ``ClientError/server(_:)`` with `NO_SUCH_INSTANCE`, and all other cases of
    ///   ``ClientError`` but `gap`.
    public nonisolated func get(
        _ name: String, at version: Int64? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> InstanceReply {
        var request = Request.about(name, .get)
        if let version { request.set("at", .integer(version)) }
        return try InstanceReply(try await self.request(request, timeout: timeout))
    }

    /// Ends an instance: it becomes done, its effects are cancelled. A second time is
    /// `INSTANCE_DONE`.
    @discardableResult
    public nonisolated func stop(
        _ name: String, reason: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        var request = Request.about(name, .stop)
        if let reason { request.set("reason", .string(reason)) }
        return try await self.request(request, timeout: timeout)
    }

    /// Removes an instance with its history and effects; one `deleted` record stays.
    @discardableResult
    public nonisolated func delete(
        _ name: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await request(Request.about(name, .delete), timeout: timeout)
    }

    /// How long the way to the server and back takes, connecting excluded if it is connected.
    @discardableResult
    public nonisolated func ping(timeout: Duration? = nil) async throws(ClientError) -> Duration {
        let start = ContinuousClock.now
        _ = try await request(Request(.ping), timeout: timeout)
        return ContinuousClock.now - start
    }

    /// The server's counters and gauges.
    public nonisolated func stats(timeout: Duration? = nil) async throws(ClientError) -> Reply {
        try await request(Request(.stats), timeout: timeout)
    }

    /// The machines the server hosts.
    public nonisolated func definitions(
        timeout: Duration? = nil
    ) async throws(ClientError) -> [DefinitionSummary] {
        let reply = try await request(Request(.definitions), timeout: timeout)
        return try Page<DefinitionSummary, Never>(reply, next: nil).items
    }

    // MARK: Pages

    /// One page of a list of instances.
    ///
    /// - Parameters:
    ///   - position: ``Page/next`` of the page before; `nil` begins at the start.
    ///   - limit: how many at most, from 1 to 1,000; `nil` leaves it to the server.
    /// - Throws: every case of ``ClientError`` but `gap`.
    public nonisolated func list(
        _ filter: ListFilter = ListFilter(), after position: String? = nil, limit: Int? = nil,
        timeout: Duration? = nil
    ) async throws(ClientError) -> Page<InstanceSummary, String> {
        var request = Request(.list)
        filter.add(to: &request)
        if let position { request.set("after", .string(position)) }
        if let limit { request.set("limit", .integer(Int64(limit))) }
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.string("next"))
    }

    /// All instances a filter lets through, fetched `pageSize` at a time.
    public nonisolated func instances(
        _ filter: ListFilter = ListFilter(), pageSize: Int = 1000
    ) -> PagedSequence<InstanceSummary, String> {
        PagedSequence(start: nil) { position throws(ClientError) in
            try await self.list(filter, after: position, limit: pageSize)
        }
    }

    /// One page of an instance's steps.
    ///
    /// - Parameters:
    ///   - version: only steps behind this version; `nil` begins with version 1.
    ///   - limit: how many at most, from 1 to 1,000; `nil` leaves it to the server.
    /// - Throws: every case of ``ClientError`` but `gap`.
    public nonisolated func history(
        of name: String, after version: Int64? = nil, limit: Int? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Page<HistoryStep, Int64> {
        var request = Request.about(name, .history)
        if let version { request.set("after", .integer(version)) }
        if let limit { request.set("limit", .integer(Int64(limit))) }
        let reply = try await self.request(request, timeout: timeout)
        return try Page(reply, next: reply.integer("next"))
    }

    /// All steps of an instance behind `version`, fetched `pageSize` at a time.
    public nonisolated func steps(
        of name: String, after version: Int64? = nil, pageSize: Int = 1000
    ) -> PagedSequence<HistoryStep, Int64> {
        PagedSequence(start: version) { position throws(ClientError) in
            try await self.history(of: name, after: position, limit: pageSize)
        }
    }
}

extension Request {
    /// A request about one instance.
    public static func about(_ name: String, _ op: String) -> Request {
        about(name, Request(op))
    }

    /// A request about the instance `name`, `machine/instance`.
    package static func about(_ name: String, _ op: Op) -> Request {
        about(name, Request(op))
    }

    private static func about(_ name: String, _ request: Request) -> Request {
        var request = request
        request.set("to", .string(name))
        return request
    }

    /// A `send` whose event is JSON text already, which goes out as it is; the other parts are
    /// those of the client's own `send`.
    public static func send(
        to name: String, event: some Collection<UInt8>, dedup: String? = nil,
        expect expectation: Expectation? = nil, create creation: CreationMode? = nil,
        reply detail: ReplyDetail = .min, settle settling: Settling = .none,
        for wait: Duration? = nil
    ) -> Request {
        var request = Request.about(name, .send)
        request.set("event", text: event)
        if let dedup { request.set("dedup", .string(dedup)) }
        if let expectation { request.set("expect", expectation.value) }
        if let creation { request.set("create", .string(creation.rawValue)) }
        if detail != .min { request.set("reply", .string(detail.rawValue)) }
        if settling != .none {
            request.set("settle", .string(settling.rawValue))
            // Without effects to wait for, the server wants no time for it.
            request.setWait(wait)
        }
        return request
    }
}
