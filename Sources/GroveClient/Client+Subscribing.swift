import GroveNetwork
import GroveWire
import OrderedJSON

extension Client {
    /// Follows what happens to the instances `request` selects.
    ///
    /// Returns when the server has accepted, for which it has ``ClientOptions/requestTimeout``,
    /// attempts to reach it included. From then on nothing that happens is missed, however
    /// long the caller takes to ask for it.
    ///
    /// - Throws: ``ClientError/server(_:)``, for example `CURSOR_FOREIGN` for a cursor of another
    ///   log; ``ClientError/unavailable(_:)`` when there is no server.
    public nonisolated func subscribe(
        _ request: SubscriptionRequest = SubscriptionRequest()
    ) async throws(ClientError) -> Subscription {
        let window = request.credit ?? options.credit
        let feed = SubscriptionFeed(request: request, window: window)
        let starter = PendingReply(client: self)
        let name = await addSubscription(feed, starter: starter)
        let handle = Subscription.Handle(client: self, name: name, feed: feed)
        _ = try await starter.value
        return Subscription(handle: handle)
    }

    private func addSubscription(_ feed: SubscriptionFeed, starter: PendingReply) -> String {
        let name = "s\(nextSubscription)"
        nextSubscription += 1
        guard phase != .closed else {
            starter.resolve(.failure(.closed))
            return name
        }
        let deadline = ContinuousClock.now + options.requestTimeout
        subscriptions[name] = SubscriptionEntry(
            feed: feed, starter: starter, starterDeadline: deadline)
        if options.retry.isOn { armTimer(deadline) }
        switch phase {
        case .open: requestSubscription(name)
        case .idle: connectSoon()
        case .connecting, .closed: break
        }
        return name
    }

    /// Asks for all subscriptions on a new connection.
    func resubscribe() {
        for name in subscriptions.keys.sorted() { requestSubscription(name) }
    }

    private func requestSubscription(_ name: String) {
        guard phase == .open, let entry = subscriptions[name] else { return }
        let link = link
        let position = entry.feed.update { $0.begin(link: link) }
        let request = entry.feed.request.request(
            name: name, start: position.start, wantsSnapshot: position.wantsSnapshot,
            credit: position.credit)
        let timeout = options.requestTimeout
        transmit(request, to: .subscription(name), deadline: .now + timeout, timeout: timeout)
    }

    /// The server has answered a subscribe request.
    func subscribed(_ name: String, _ result: Result<Reply, ClientError>) {
        guard let entry = subscriptions[name] else { return }
        switch result {
        case .success(let reply):
            let cursor = reply.string("cur")
            subscriptions[name]?.isRunning = true
            subscriptions[name]?.starter = nil
            entry.feed.update { buffer in
                buffer.accepted(at: cursor)
                if entry.starter == nil { buffer.resume() }
            }
            entry.starter?.resolve(.success(reply))
            grantCredit(name)
        case .failure(let error) where entry.starter != nil && !mayStartLater(entry, error):
            subscriptions[name] = nil
            entry.starter?.resolve(.failure(error))
        case .failure(.timeout(let timeout)):
            disconnect(.connectionLost("no reply to a subscribe request within \(timeout)"))
        case .failure(let error) where error.isRetryable:
            retrySubscription(name, error)
        case .failure(let error):
            subscriptions[name] = nil
            entry.feed.update { $0.finish(error) }
        }
    }

    private func retrySubscription(_ name: String, _ error: ClientError) {
        failures += 1
        let isStarting = subscriptions[name]?.starter != nil
        guard isStarting || failures <= options.reconnect.attemptsMax ?? .max else {
            subscriptions.removeValue(forKey: name)?.feed.update { $0.finish(error) }
            return
        }
        let link = link
        post(after: pause(error)) { client in
            if client.link == link { client.requestSubscription(name) }
        }
    }

    /// Whether a subscription that was never accepted may be accepted at another attempt.
    private func mayStartLater(_ entry: SubscriptionEntry, _ error: ClientError) -> Bool {
        guard options.retry.isOn, entry.starterDeadline > .now else { return false }
        return error.isWorthReconnecting
    }

    /// When the callers that wait for a subscription give up.
    var starterDeadlines: [ContinuousClock.Instant] {
        subscriptions.values.compactMap { $0.starter == nil ? nil : $0.starterDeadline }
    }

    /// Gives up on subscriptions that were not accepted in time.
    func expireStarters(at now: ContinuousClock.Instant) {
        for (name, entry) in subscriptions
        where entry.starter != nil && entry.starterDeadline <= now {
            subscriptions[name] = nil
            let error = entry.lastError ?? .timeout(options.requestTimeout)
            entry.starter?.resolve(.failure(error))
        }
    }

    /// Lets the server send more, when the consumer has made enough room.
    func grantCredit(_ name: String) {
        guard let entry = subscriptions[name], entry.isRunning else { return }
        let link = link
        let grant = entry.feed.update { $0.takeGrant(link: link) }
        guard grant > 0 else { return }
        var request = Request(.credit)
        request.set("sub", .string(name))
        request.set("n", .integer(Int64(grant)))
        transmit(request)
    }

    /// Nobody reads from the subscription any more.
    func endSubscription(_ name: String) {
        guard subscriptions.removeValue(forKey: name) != nil else { return }
        var request = Request(.unsubscribe)
        request.set("sub", .string(name))
        transmit(request)
    }

    /// The connection is gone, or an attempt to get one has failed: subscriptions that were
    /// never accepted fail or wait, the others wait for the next attempt.
    func interruptSubscriptions(_ error: ClientError) {
        for (name, entry) in subscriptions {
            if entry.starter == nil {
                subscriptions[name]?.isRunning = false
                entry.feed.update { $0.interrupt(error) }
            } else if mayStartLater(entry, error) {
                subscriptions[name]?.lastError = error
            } else {
                subscriptions[name] = nil
                entry.starter?.resolve(.failure(error))
            }
        }
    }

    /// Ends the subscriptions that were accepted once: there will be no further attempt for them.
    func endSubscriptions(_ error: ClientError) {
        for (name, entry) in subscriptions where entry.starter == nil {
            entry.feed.update { $0.finish(error) }
            subscriptions[name] = nil
        }
    }
}

extension ClientError {
    /// Whether another connection may be better.
    var isWorthReconnecting: Bool {
        switch self {
        case .server, .unavailable, .connectionLost, .timeout: isRetryable
        case .protocolViolation, .invalidRequest, .gap, .queueFull, .undecodable, .cancelled,
            .closed:
            false
        }
    }
}
