import GroveNetwork
import GroveWire

/// Calls between their submission and their answer: which go out when, and which again.
extension Client {
    /// Sends a call, as soon as those before it let it (``InstanceOrder``).
    func dispatch(_ call: Call) {
        if call.reply.isResolved {
            finish(call, .failure(.cancelled))
        } else if isDraining {
            keep(call)
        } else if instanceOrder.admit(call) {
            transmit([call])
        } else {
            armTimer(call.deadline)
        }
    }

    /// Sends the calls that waited for the connection, in their order.
    func dispatchWaiting() {
        let waiting = waiting
        self.waiting = []
        for call in waiting { dispatch(call) }
    }

    /// Sends calls in their order. One that isn't sent may let others follow: they wait in a row,
    /// and not on the stack, for there may be thousands of them.
    private func transmit(_ calls: [Call]) {
        outgoing += calls
        guard !isTransmitting else { return }
        isTransmitting = true
        defer { isTransmitting = false }
        var next = 0
        while next < outgoing.count {
            transmit(outgoing[next])
            next += 1
        }
        outgoing.removeAll()
    }

    private func transmit(_ call: Call) {
        guard phase == .open, !isDraining else { return keep(call) }
        let now = ContinuousClock.now
        guard !call.reply.isResolved, call.deadline > now else {
            finish(call, .failure(call.expiry))
            transmit(instanceOrder.complete(call))
            return
        }
        var call = call
        let elapsed = now - (call.firstSent ?? now)
        call.firstSent = call.firstSent ?? now
        transmit(
            call.request, to: .call(call), deadline: call.deadline, timeout: call.timeout,
            after: elapsed)
    }

    /// Keeps a call for the next connection.
    private func keep(_ call: Call) {
        let place = waiting.lastIndex { $0.order < call.order }.map { $0 + 1 } ?? 0
        waiting.insert(call, at: place)
        armTimer(call.deadline)
    }

    /// A call has an answer: the caller gets it, unless the call is worth another attempt.
    func answered(_ call: Call, _ result: Result<Reply, ClientError>) {
        if case .failure(.server(let error)) = result, mayRepeat(call, after: error) {
            var call = call
            call.lastError = .server(error)
            if !error.isDefinite, !call.request.isReading { call.isOutcomeUnknown = true }
            putOff(call, after: error)
        } else {
            finish(call, result)
            transmit(instanceOrder.complete(call))
        }
    }

    private func mayRepeat(_ call: Call, after error: ServerError) -> Bool {
        options.retry.isOn && !call.reply.isResolved && call.isWorthRepeating(after: error)
    }

    private func putOff(_ call: Call, after error: ServerError) {
        if error.known == .draining {
            // Whatever follows on this connection is refused alike, so the order stays.
            isDraining = true
            keep(call)
            return
        }
        armTimer(call.deadline)
        guard let stops = instanceOrder.postpone(call) else { return }
        let key = InstanceOrder.key(of: call)
        let link = link
        post(after: pause(afterFailures: stops, .server(error))) { client in
            guard client.link == link, client.phase == .open else { return }
            client.transmit(client.instanceOrder.resume(key))
        }
    }
}
