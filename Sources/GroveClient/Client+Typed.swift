import OrderedJSON

/// Events, states and outputs as values of Swift types, written and read as the server's machines
/// do it (``JSONCoding``).
extension Client {
    /// Sends an event of a Swift type to an instance and waits until what it caused is stored.
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`.
    ///   - event: the event; an enum is written by the name of its case.
    ///   - dedup: as for JSON events, and so is everything that follows.
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

    /// Follows outputs as values of a Swift type. Kinds other than outputs are left out.
    ///
    /// - Throws: as ``subscribe(_:)``.
    public nonisolated func outputs<Output: Decodable & Sendable>(
        as type: Output.Type = Output.self, of request: SubscriptionRequest
    ) async throws(ClientError) -> OutputSubscription<Output> {
        var request = request
        request.kinds = [.output]
        return OutputSubscription(subscription: try await subscribe(request))
    }
}

extension Record {
    /// The output as a value of a Swift type.
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it isn't one, or the record tells no output.
    public func output<Output: Decodable>(
        as type: Output.Type = Output.self
    ) throws(ClientError) -> Output {
        try document.decode(type, member: "data")
    }

    /// The state after the change, or of a snapshot, as a value of a Swift type.
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it isn't one, or the record tells no state.
    public func state<State: Decodable>(
        as type: State.Type = State.self
    ) throws(ClientError) -> State {
        try document.decode(type, member: "after")
    }
}

extension InstanceReply {
    /// The state as a value of a Swift type.
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it isn't one.
    public func state<State: Decodable>(
        as type: State.Type
    ) throws(ClientError) -> State {
        try reply.document.decode(type, member: "state")
    }
}

extension JSONDocument {
    /// A member of the root as a value of a Swift type.
    func decode<Value: Decodable>(
        _ type: Value.Type, member: StaticString
    ) throws(ClientError) -> Value {
        guard let node = self.member(member, of: root) else {
            throw .undecodable("there is no \"\(member)\"")
        }
        do throws(JSONDecodingError) {
            return try JSONCoding.decode(type, from: self, at: node)
        } catch {
            throw .undecodable("\"\(member)\" is no \(type): \(error)")
        }
    }
}
