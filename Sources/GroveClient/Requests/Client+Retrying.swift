import GroveNetwork
import GroveWire

/// Sending calls in their order, and repeating them.
extension Client {
    /// Sends a call as soon as the calls before it allow it (``InstanceOrder``).
    func dispatch(_ call: Call) {
        var call = call
        if call.reply.isResolved {
            finish(call, .failure(.cancelled))
        } else if isDraining {
            keep(call)
        } else if instanceOrder.admit(&call) {
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

    /// Sends calls in their order. A call that fails here may release others, thousands of them:
    /// these wait in `outgoing` and not on the stack.
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
        let index = waiting.lastIndex { $0.order < call.order }.map { $0 + 1 } ?? 0
        waiting.insert(call, at: index)
        armTimer(call.deadline)
    }

    /// Passes an answer to the caller, unless the call is worth another attempt.
    func resolveCall(_ call: Call, _ result: Result<Reply, ClientError>) {
        if case .failure(.server(let error)) = result, mayRepeat(call, after: error) {
            var call = call
            call.lastError = .server(error)
            if !error.isDefinite, !call.request.isReading { call.isOutcomeUnknown = true }
            postpone(call, after: error)
        } else {
            finish(call, result)
            transmit(instanceOrder.complete(call))
        }
    }

    private func mayRepeat(_ call: Call, after error: ServerError) -> Bool {
        options.retry.isOn && !call.reply.isResolved && call.isWorthRepeating(after: error)
    }

    private func postpone(_ call: Call, after error: ServerError) {
        if error.known == .draining {
            // All later calls on this connection are refused as well, so the order stays.
            isDraining = true
            keep(call)
            return
        }
        armTimer(call.deadline)
        let (stops, passing) = instanceOrder.postpone(call, after: error)
        defer { transmit(passing) }
        guard let stops else { return }
        let key = InstanceOrder.key(of: call)
        let link = link
        post(after: pause(afterFailures: stops, .server(error))) { client in
            guard client.link == link, client.phase == .open else { return }
            client.transmit(client.instanceOrder.resume(key))
        }
    }
}
