import Dispatch
import GroveNetwork
import GroveTLS
import GroveWire
import OrderedJSON

extension Client {
    /// Connects now, if the client isn't connected, and returns the server's greeting.
    ///
    /// - Throws: ``ClientError/unavailable(_:)`` when no connection can be made,
    ///   ``ClientError/tlsFailed(_:)`` when none can be made that is secure,
    ///   ``ClientError/server(_:)`` when the server rejects the client.
    @discardableResult
    public func connect() async throws(ClientError) -> Greeting {
        _ = try await request(Request(.ping))
        guard let greeting else { throw .connectionLost("the connection is gone already") }
        return greeting
    }

    /// Connects at once, unless the server is away and the next attempt is scheduled.
    func connectSoon() {
        if !(isReconnectDue && options.retry.isOn) { connect() }
    }

    /// What an attempt to connect needs, and what takes time to find.
    struct Preparation {
        let endpoints: [SocketAddress]
        /// What checks the server's certificate; `nil` for a server without TLS.
        let tls: TLSContext?
        /// Whether a token may be sent there.
        let isTokenAllowed: Bool
    }

    /// Starts an attempt to connect: looks the name up, reads the files for TLS, tries the
    /// addresses in turn, waits for the greeting.
    func connect() {
        phase = .connecting
        isReconnectDue = false
        link += 1
        let link = link
        let (address, tls, lookUp) = (options.server, options.tls, lookUp)
        let hasToken = token != nil
        // A queue of its own gets a thread even if all threads of the global queues are blocked.
        DispatchQueue(label: "grove.client.lookup").async {
            let result = Result { () throws(ClientError) in
                try Client.prepare(address, tls, hasToken: hasToken, lookUp)
            }
            self.post { $0.prepared(result, link: link) }
        }
        let timeout = options.connectTimeout
        connectDeadline = .now + timeout
        post(after: timeout) { client in
            guard client.link == link, client.phase == .connecting else { return }
            let doubt = client.connection?.isReading == true ? address.doubt : ""
            client.disconnect(
                .unavailable("\(address): no greeting from a server within \(timeout)\(doubt)"))
        }
    }

    /// Looks the name up and reads the files. Blocks meanwhile.
    private static func prepare(
        _ address: ServerAddress, _ tls: TLSOptions, hasToken: Bool, _ lookUp: LookUp
    ) throws(ClientError) -> Preparation {
        guard address.isSecure || tls.isEmpty else {
            throw .tlsFailed(
                TLSProblem(
                    .configuration,
                    "options for TLS need a server at tls:HOST:PORT, and not at \(address)"))
        }
        let context: TLSContext?
        do throws(TLSProblem) {
            context = try address.isSecure ? tls.makeContext() : nil
        } catch {
            throw .tlsFailed(error)
        }
        let endpoints: [SocketAddress]
        do throws(HostLookup.Failure) {
            endpoints = try lookUp(address)
        } catch {
            throw .unavailable(error.description)
        }
        let isTokenAllowed = TokenGuard.allows(address, at: endpoints)
        guard isTokenAllowed || !hasToken else { throw TokenGuard.refusal(address) }
        return Preparation(endpoints: endpoints, tls: context, isTokenAllowed: isTokenAllowed)
    }

    private func prepared(_ result: Result<Preparation, ClientError>, link: Int) {
        guard self.link == link, phase == .connecting else { return }
        switch result {
        case .failure(let error): disconnect(error)
        case .success(let preparation):
            endpoints = preparation.endpoints
            tlsContext = preparation.tls
            isTokenAllowed = preparation.isTokenAllowed
            tryNextEndpoint(after: "no address")
        }
    }

    private func tryNextEndpoint(after reason: String) {
        var reason = reason
        while !endpoints.isEmpty {
            do throws(SocketError) {
                let socket = try Socket.connecting(to: endpoints.removeFirst())
                scheduleNextEndpoint()
                return open(socket)
            } catch {
                reason = error.reason
            }
        }
        disconnect(.unavailable("\(options.server): \(reason)"))
    }

    /// Begins a connection over a socket that is connecting.
    private func open(_ socket: Socket) {
        let link = link
        do throws(TLSContextError) {
            connection = Connection(
                socket, tls: try beginTLS(), queue: queue, lineBytesMax: options.lineBytesMax,
                onReadable: { [weak self] in self?.assumeIsolated { $0.readable(link) } },
                onWritable: { [weak self] in self?.assumeIsolated { $0.writable(link) } })
        } catch {
            disconnect(.tlsFailed(TLSProblem(.configuration, error.description)))
        }
    }

    /// The beginning of a handshake with the server; `nil` for a server without TLS.
    private func beginTLS() throws(TLSContextError) -> TLSConnection? {
        switch (options.server, tlsContext) {
        case (.tls(let host, _), let context?):
            try TLSConnection(client: context, serverName: host)
        case (.tls, nil): preconditionFailure("a secure connection has a context")
        case (.tcp, _), (.unix, _): nil
        }
    }

    /// Tries the next address when this one brings no greeting within its share of the time; the
    /// last address has all the time that is left.
    private func scheduleNextEndpoint() {
        endpointsTried += 1
        guard !endpoints.isEmpty else { return }
        let left = ContinuousClock.now.duration(to: connectDeadline)
        let share = left / (endpoints.count + 1)
        let (link, tried) = (link, endpointsTried)
        post(after: share) { client in
            guard client.link == link, client.endpointsTried == tried,
                client.phase == .connecting
            else { return }
            client.connection = nil
            client.tryNextEndpoint(after: "no greeting from one of its addresses")
        }
    }

    private func writable(_ link: Int) {
        guard self.link == link, let connection else { return }
        if !connection.isReading {
            if let reason = connection.connectFailure {
                connection.stopAwaitingWritable()
                self.connection = nil
                tryNextEndpoint(after: reason)
                return
            }
            // Dispatch forgets a socket that hangs up while it has no source, and registers a new
            // source only after this call. So the one for writing stays until it reports again.
            connection.startReading()
            return
        }
        if let reason = connection.flush() { disconnect(.connectionLost(reason)) }
    }

    /// Reads until nothing is left, at most 1 MiB before other work of the queue. Dispatch reports
    /// a connection that has hung up only once, so what isn't read then would never be.
    private func readable(_ link: Int) {
        for _ in 0..<16 {
            guard self.link == link, let connection else { return }
            let outcome = connection.read { line in
                if self.link == link, self.connection != nil { receive(line) }
            }
            guard self.link == link, self.connection != nil else { return }
            switch outcome {
            case .bytes: lastReceived = .now
            case .nothing: return
            case .ended(let reason): return disconnect(.connectionLost(reason))
            case .failed(let failure): return disconnect(meaning(of: failure))
            }
        }
        post { $0.readable(link) }
    }

    /// The error of a connection whose TLS has failed. Before the greeting, the two sides don't
    /// agree; later, something between them has damaged the connection, and another one may work.
    private func meaning(of failure: TLSFailure) -> ClientError {
        let problem = TLSProblem(failure, at: options.server, options.tls)
        guard phase == .connecting, let problem else {
            return .connectionLost(failure.description)
        }
        return .tlsFailed(problem)
    }

    /// Checks the pinned key of a server whose certificate was checked, before anything is sent.
    private func checkPin() throws(ClientError) {
        guard !options.server.isSecure || options.tls.accepts(connection?.serverCertificate) else {
            throw .tlsFailed(.wrongKey(at: options.server))
        }
    }

    /// Opens the connection with the first line of the server.
    func receiveGreeting(_ document: JSONDocument) {
        do throws(ClientError) {
            try checkPin()
            let greeting = try Greeting(document)
            self.greeting = greeting
            // With a token nothing is sent before the server knows who asks: not as somebody else.
            let token = isTokenAllowed ? token : nil
            phase = token == nil ? .open : .proving
            sendHello(token)
            watchHeartbeat(greeting, link: link)
            if phase == .open { sendWaiting() }
        } catch {
            disconnect(error)
        }
    }

    /// Opens the connection once the server has accepted the token.
    func proved() {
        guard phase == .proving else { return }
        phase = .open
        sendWaiting()
    }

    private func sendWaiting() {
        resubscribe()
        dispatchWaiting()
    }

    private func sendHello(_ token: ClientToken?) {
        let hello = Request(.hello).with("proto", ProtocolVersion.current)
            .with("client", options.name).with("token", token?.text)
        let timeout = options.requestTimeout
        transmit(hello, to: .hello, deadline: .now + timeout, timeout: timeout)
    }

    /// Closes the connection after three heartbeats of silence. A server sends something at least
    /// once per heartbeat, so it is gone, although the connection is still open.
    private func watchHeartbeat(_ greeting: Greeting, link: Int) {
        guard let heartbeat = greeting.heartbeat else { return }
        let due = lastReceived + heartbeat * 3
        post(after: ContinuousClock.now.duration(to: due)) { client in
            guard client.link == link, client.phase == .open || client.phase == .proving else {
                return
            }
            if ContinuousClock.now >= client.lastReceived + heartbeat * 3 {
                client.disconnect(.connectionLost("no heartbeat from the server"))
            } else {
                client.watchHeartbeat(greeting, link: link)
            }
        }
    }

    /// Ends the connection or the attempt. Calls that can be repeated wait for the next one; the
    /// others fail, with ``ClientError/unavailable(_:)`` if no byte of them was sent.
    func disconnect(_ error: ClientError) {
        let written = connection?.writtenBytes ?? 0
        connection = nil
        endpoints = []
        tlsContext = nil
        isDraining = false
        unreadLine = nil
        let wasConnecting = phase == .connecting
        if phase != .closed { phase = .idle }
        let unsent: ClientError =
            switch error {
            case .connectionLost(let reason) where wasConnecting:
                .unavailable("\(options.server): \(reason)\(options.server.doubt)")
            case .connectionLost(let reason): .unavailable(reason)
            default: error
            }
        let lost: ClientError =
            switch error {
            case .connectionLost, .closed: error
            default: .connectionLost(error.description)
            }
        let isRetrying = options.retry.isOn && error.isWorthReconnecting
        let waiting = waiting + instanceOrder.removeAll()
        let pending = pending.values
        self.waiting = []
        self.pending = [:]
        for request in pending {
            guard case .call(let call) = request.destination else { continue }
            let wasSent = request.offset < written
            requeue(
                call, after: wasSent ? lost : unsent, wasSent: wasSent,
                isRetrying: isRetrying && (!wasSent || call.request.isRepeatable))
        }
        for call in waiting {
            requeue(call, after: unsent, wasSent: false, isRetrying: isRetrying)
        }
        self.waiting.sort { $0.order < $1.order }
        let reason = wasConnecting ? unsent : error
        interruptSubscriptions(reason)
        reconnectLater(after: reason)
    }

    /// Keeps a call for the next connection, or fails it.
    private func requeue(_ call: Call, after error: ClientError, wasSent: Bool, isRetrying: Bool) {
        guard isRetrying, !call.reply.isResolved else {
            finish(call, .failure(error))
            return
        }
        var call = call
        if wasSent, !call.request.isReading { call.isOutcomeUnknown = true }
        call.lastError = error
        waiting.append(call)
        armTimer(call.deadline)
    }

    /// Schedules the next attempt, if a call or subscription needs a connection. Subscriptions end
    /// when the policy allows no more attempts; calls wait until their deadline.
    private func reconnectLater(after error: ClientError) {
        let isNeeded = !subscriptions.isEmpty || !waiting.isEmpty
        guard isNeeded, phase != .closed else { return }
        failures += 1
        let mayContinue = failures <= options.reconnect.attemptsMax ?? .max
        if !mayContinue || !error.isWorthReconnecting { endSubscriptions(error) }
        guard !subscriptions.isEmpty || !waiting.isEmpty else { return }
        isReconnectDue = true
        let link = link
        post(after: pause(error)) { client in
            guard client.link == link, client.phase == .idle else { return }
            client.isReconnectDue = false
            if !client.subscriptions.isEmpty || !client.waiting.isEmpty { client.connect() }
        }
    }

    /// The pause after the last of ``failures``, or the one that the server asks for.
    func pause(_ error: ClientError) -> Duration {
        pause(afterFailures: failures, error)
    }

    /// The pause after `count` failures in a row, the last of which is `error`.
    func pause(afterFailures count: Int, _ error: ClientError) -> Duration {
        let chance = Double.random(in: 0..<1)
        let pause = options.reconnect.pause(beforeAttempt: count, chance: chance)
        guard case .server(let error) = error, let retryAfter = error.retryAfter else {
            return pause
        }
        return max(pause, retryAfter)
    }

    // MARK: Deadlines

    /// Schedules a check of all deadlines for `deadline`, unless an earlier one is scheduled.
    func armTimer(_ deadline: ContinuousClock.Instant) {
        if let timerDeadline, timerDeadline <= deadline { return }
        timerDeadline = deadline
        post(after: ContinuousClock.now.duration(to: deadline)) { $0.expire(deadline) }
    }

    private func expire(_ timer: ContinuousClock.Instant) {
        guard timerDeadline == timer else { return }
        timerDeadline = nil
        let now = ContinuousClock.now
        for (id, request) in pending where request.deadline <= now {
            // An earlier one may have closed the connection, which removes all.
            guard pending.removeValue(forKey: id) != nil else { continue }
            let timeout = request.timeout
            resolve(
                request.destination,
                .failure(unreadLine.map { .unread(timeout, $0) } ?? .timeout(timeout)))
        }
        let expired = waiting.filter { $0.deadline <= now } + instanceOrder.removeExpired(at: now)
        waiting.removeAll { $0.deadline <= now }
        for call in expired { finish(call, .failure(call.expiry)) }
        expireStarters(at: now)
        let deadlines = pending.values.map(\.deadline) + waiting.map(\.deadline) + starterDeadlines
        let next = [deadlines.min(), instanceOrder.nextDeadline].compactMap(\.self).min()
        if let next { armTimer(next) }
    }
}
