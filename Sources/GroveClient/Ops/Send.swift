import GroveWire
import OrderedJSON

extension Client {
    /// Sends an event to an instance and waits until its step is stored.
    ///
    /// The client repeats the request until the timeout, and the event is applied once
    /// (``RetryPolicy``).
    ///
    /// - Parameters:
    ///   - event: A string, or an object with a member `type`.
    ///   - dedup: A key of at most 200 bytes; the same event with the same key is applied once,
    ///     however often it is sent, and gets the same reply. Without one the client makes one,
    ///     unless ``RetryPolicy/makesKeys`` is off: it protects this call, and not a second one.
    ///   - expectation: The condition on the instance, else `VERSION_CONFLICT`.
    ///   - creation: Whether the event may create its instance; `nil` leaves it to the server,
    ///     which creates it.
    ///   - detail: The parts of the reply.
    ///   - settling: The effects that the reply waits for.
    ///   - wait: The longest wait for them, from a millisecond to an hour; then the error is
    ///     `TIMEOUT`, and the event was applied. `nil` is an hour.
    ///   - traceparent: The trace that the step and its effects belong to, as W3C's "Trace Context"
    ///     writes it; `nil` for none.
    ///   - timeout: `nil` is ``ClientOptions/requestTimeout``, plus `wait` if there are effects to
    ///     wait for.
    /// - Throws: ``ClientError``. When ``ClientError/isOutcomeUnknown`` holds, a repeat with the
    ///   same dedup key is safe. A repeat without one, or with one that the client made, may apply
    ///   the event twice.
    public nonisolated func send(
        to name: String, event: JSONValue, dedup: String? = nil,
        expect expectation: Expectation? = nil,
        create creation: CreationMode? = nil, reply detail: ReplyDetail = .min,
        settle settling: Settling = .none, for wait: Duration? = nil,
        traceparent: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> SendReply {
        let request = Request.send(
            to: name, event: event.serialized(), dedup: dedup, expect: expectation,
            create: creation, reply: detail, settle: settling, for: wait
        ).with("traceparent", traceparent)
        let longest = settling == .none ? nil : (wait ?? .seconds(3600)) + options.requestTimeout
        return try SendReply(try await self.request(request, timeout: timeout ?? longest))
    }

    /// Sends an event of a Swift type to an instance and waits until its step is stored.
    ///
    /// - Parameter event: The event, written as the server's machines write it (``JSONCoding``); an
    ///   enum is written by the name of its case. The other parameters are as for JSON events.
    /// - Throws: ``ClientError``, among them ``ClientError/invalidRequest(_:)`` when the event
    ///   can't be written as JSON.
    public nonisolated func send<Event: Encodable>(
        to name: String, encoding event: Event, dedup: String? = nil,
        expect expectation: Expectation? = nil, create creation: CreationMode? = nil,
        reply detail: ReplyDetail = .min, timeout: Duration? = nil
    ) async throws(ClientError) -> SendReply {
        var writer = JSONWriter()
        do throws(JSONEncodingError) {
            try JSONCoding.encode(event, into: &writer)
        } catch {
            throw .invalidRequest("the event can't be written as JSON: \(error)")
        }
        let request = Request.send(
            to: name, event: writer.bytes, dedup: dedup, expect: expectation, create: creation,
            reply: detail)
        return try SendReply(try await self.request(request, timeout: timeout))
    }
}

extension Request {
    /// A `send` whose event is JSON text, which is sent unchanged; the other parts are those of
    /// the client's own `send`.
    public static func send(
        to name: String, event: some Collection<UInt8>, dedup: String? = nil,
        expect expectation: Expectation? = nil, create creation: CreationMode? = nil,
        reply detail: ReplyDetail = .min, settle settling: Settling = .none,
        for wait: Duration? = nil
    ) -> Request {
        var request = Request.about(name, .send)
        request.set("event", text: event)
        request = request.with("dedup", dedup).with("expect", expectation?.value)
            .with("create", creation?.rawValue)
            .with("reply", detail == .min ? nil : detail.rawValue)
        if settling != .none {
            request.set("settle", .string(settling.rawValue))
            // Without effects to wait for, the server accepts no time for it.
            request.setWait(wait)
        }
        return request
    }
}
