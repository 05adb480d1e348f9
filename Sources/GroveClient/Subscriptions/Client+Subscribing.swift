import GroveNetwork
import GroveWire
import OrderedJSON

extension Client {
    /// Follows the records of the instances that `request` selects.
    ///
    /// Returns when the server has accepted, for which it has ``ClientOptions/requestTimeout``,
    /// attempts to reach it included. From then on no record is missed, even if the caller reads
    /// them late.
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
        case .connecting, .proving, .closed: break
        }
        return name
    }

    /// Requests all subscriptions on a new connection.
    func resubscribe() {
        for name in subscriptions.keys.sorted() { requestSubscription(name) }
    }

    private func requestSubscription(_ name: String) {
        guard phase == .open, let entry = subscriptions[name] else { return }
        let link = link
        let position = entry.feed.update { $0.start(link: link) }
        let request = entry.feed.request.request(
            name: name, start: position.start, wantsSnapshot: position.wantsSnapshot,
            credit: position.credit)
        let timeout = options.requestTimeout
        transmit(request, to: .subscription(name), deadline: .now + timeout, timeout: timeout)
    }

    /// Handles the answer to a subscribe request.
    func resolveSubscription(_ name: String, _ result: Result<Reply, ClientError>) {
        guard let entry = subscriptions[name] else { return }
        switch result {
        case .success(let reply):
            let cursor = reply.string("cur")
            subscriptions[name]?.isRunning = true
            subscriptions[name]?.starter = nil
            entry.feed.update { buffer in
                buffer.accept(at: cursor)
                if entry.starter == nil { buffer.resume() }
            }
            entry.starter?.resolve(.success(reply))
            grantCredit(name)
        case .failure(let error) where entry.starter != nil && !mayStartLater(entry, error):
            subscriptions[name] = nil
            entry.starter?.resolve(.failure(error))
        case .failure(.timeout(let timeout)), .failure(.unread(let timeout, _)):
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

    /// The deadlines of subscriptions that were never accepted.
    var starterDeadlines: [ContinuousClock.Instant] {
        subscriptions.values.compactMap { $0.starter == nil ? nil : $0.starterDeadline }
    }

    /// Fails subscriptions that were not accepted in time.
    func expireStarters(at now: ContinuousClock.Instant) {
        for (name, entry) in subscriptions
        where entry.starter != nil && entry.starterDeadline <= now {
            subscriptions[name] = nil
            let error = entry.lastError ?? .timeout(options.requestTimeout)
            entry.starter?.resolve(.failure(error))
        }
    }

    /// Grants the server new credit when the consumer has made enough room.
    func grantCredit(_ name: String) {
        guard let entry = subscriptions[name], entry.isRunning else { return }
        let link = link
        let grant = entry.feed.update { $0.issueGrant(link: link) }
        guard grant > 0 else { return }
        transmit(Request(.credit).with("sub", name).with("n", grant))
    }

    /// Ends a subscription without readers.
    func endSubscription(_ name: String) {
        guard subscriptions.removeValue(forKey: name) != nil else { return }
        transmit(Request(.unsubscribe).with("sub", name))
    }

    /// Interrupts subscriptions after a lost connection or a failed attempt to connect: those that
    /// were never accepted fail or wait, the others wait for the next attempt.
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

    /// Ends the subscriptions that were accepted once, because no further attempt follows.
    func endSubscriptions(_ error: ClientError) {
        for (name, entry) in subscriptions where entry.starter == nil {
            entry.feed.update { $0.finish(error) }
            subscriptions[name] = nil
        }
    }
}

extension ClientError {
    /// Whether another connection may help.
    var isWorthReconnecting: Bool {
        if case .queueFull = self { false } else { isRetryable }
    }
}
