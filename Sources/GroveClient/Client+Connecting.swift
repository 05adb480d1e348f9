import Dispatch
import OrderedJSON

extension Client {
    /// Connects now, if the client isn't connected, and returns the server's greeting.
    ///
    /// - Throws: ``ClientError/unavailable(_:)`` when no connection comes about,
    ///   ``ClientError/server(_:)`` when the server turns the client away.
    @discardableResult
    public func connect() async throws(ClientError) -> Greeting {
        _ = try await request(Request("ping"))
        guard let greeting else { throw .connectionLost("the connection is gone already") }
        return greeting
    }

    /// Begins an attempt to connect: look the name up, try its addresses in turn, wait for the
    /// greeting.
    func connect() {
        phase = .connecting
        link += 1
        let link = link
        let address = options.server
        DispatchQueue.global().async {
            let result = Socket.endpoints(of: address)
            self.post { $0.resolved(result, link: link) }
        }
        let timeout = options.connectTimeout
        post(after: timeout) { client in
            guard client.link == link, client.phase == .connecting else { return }
            client.disconnect(
                .unavailable("\(address): no greeting from a server within \(timeout)"))
        }
    }

    private func resolved(_ result: Result<[Socket.Endpoint], Socket.Failure>, link: Int) {
        guard self.link == link, phase == .connecting else { return }
        switch result {
        case .failure(let failure): disconnect(.unavailable(failure.reason))
        case .success(let endpoints):
            self.endpoints = endpoints
            tryNextEndpoint(after: "no address")
        }
    }

    private func tryNextEndpoint(after reason: String) {
        var reason = reason
        while !endpoints.isEmpty {
            switch Socket.connect(to: endpoints.removeFirst()) {
            case .failure(let failure): reason = failure.reason
            case .success(let fd):
                let link = link
                connection = Connection(
                    fd: fd, queue: queue, lineBytesMax: options.lineBytesMax,
                    onReadable: { [weak self] in self?.assumeIsolated { $0.readable(link) } },
                    onWritable: { [weak self] in self?.assumeIsolated { $0.writable(link) } })
                return
            }
        }
        disconnect(.unavailable("\(options.server): \(reason)"))
    }

    private func writable(_ link: Int) {
        guard self.link == link, let connection else { return }
        if !connection.isReading {
            connection.stopAwaitingWritable()
            if let reason = connection.connectFailure {
                self.connection = nil
                tryNextEndpoint(after: reason)
                return
            }
            connection.startReading()
        }
        if let reason = connection.flush() { disconnect(.connectionLost(reason)) }
    }

    private func readable(_ link: Int) {
        guard self.link == link, let connection else { return }
        lastHeard = .now
        let reading = connection.read { line in
            if self.link == link, self.connection != nil { receive(line) }
        }
        if case .over(let reason) = reading, self.link == link, self.connection != nil {
            disconnect(.connectionLost(reason))
        }
    }

    /// The first line of the server has come: the connection is of use.
    func greeted(_ document: JSONDocument) {
        do throws(ClientError) {
            let greeting = try Greeting(document)
            self.greeting = greeting
            phase = .open
            sendHello()
            watchHeartbeat(greeting, link: link)
            resubscribe()
            transmitWaiting()
        } catch {
            disconnect(error)
        }
    }

    private func sendHello() {
        var hello = Request("hello")
        hello.set("proto", 1)
        hello.set("client", .string(options.name))
        if let token = options.token { hello.set("token", .string(token)) }
        let timeout = options.requestTimeout
        transmit(hello, to: .hello, deadline: .now + timeout, timeout: timeout)
    }

    /// A server sends something at least once a heartbeat; one that was silent for three of them
    /// is gone, although nobody has closed the connection.
    private func watchHeartbeat(_ greeting: Greeting, link: Int) {
        guard let heartbeat = greeting.heartbeat else { return }
        let due = lastHeard + heartbeat * 3
        post(after: ContinuousClock.now.duration(to: due)) { client in
            guard client.link == link, client.phase == .open else { return }
            if ContinuousClock.now >= client.lastHeard + heartbeat * 3 {
                client.disconnect(.connectionLost("no heartbeat from the server"))
            } else {
                client.watchHeartbeat(greeting, link: link)
            }
        }
    }

    /// The connection or the attempt is over. Requests that had not begun to be written are
    /// told that nothing was sent.
    func disconnect(_ error: ClientError) {
        let written = connection?.writtenBytes ?? 0
        connection = nil
        endpoints = []
        let wasConnecting = phase == .connecting
        if phase != .closed { phase = .idle }
        let pending = pending.sorted { $0.key < $1.key }.map(\.value)
        self.pending = [:]
        let unsent: ClientError =
            switch error {
            case .connectionLost(let reason) where wasConnecting:
                .unavailable("\(options.server): \(reason)")
            case .connectionLost(let reason): .unavailable(reason)
            default: error
            }
        let lost: ClientError =
            switch error {
            case .connectionLost, .closed: error
            default: .connectionLost(error.description)
            }
        for request in pending {
            guard case .reply(let reply) = request.destination else { continue }
            reply.resolve(.failure(request.offset >= written ? unsent : lost))
        }
        let waiting = waiting
        self.waiting = []
        for request in waiting { request.reply.resolve(.failure(unsent)) }
        interruptSubscriptions(wasConnecting ? unsent : error)
    }

    // MARK: Deadlines

    /// Makes sure that somebody looks at the requests when `deadline` is over.
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
            pending[id] = nil
            settle(request.destination, .failure(.timeout(request.timeout)))
        }
        for request in waiting where request.deadline <= now {
            request.reply.resolve(
                .failure(
                    .unavailable("\(options.server): no connection within \(request.timeout)")))
        }
        waiting.removeAll { $0.deadline <= now }
        let next = (pending.values.map(\.deadline) + waiting.map(\.deadline)).min()
        if let next { armTimer(next) }
    }
}
