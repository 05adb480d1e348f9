import GroveWire
import OrderedJSON

extension Client {
    /// Suspends an instance, or all of a machine: its events are refused with `SUSPENDED`, and its
    /// effects and timers sleep until ``resume(_:timeout:)``. A second time changes nothing.
    ///
    /// - Throws: ``ClientError``, such as `NO_SUCH_INSTANCE`, `NO_SUCH_MACHINE`, `INSTANCE_DONE`,
    ///   or `LIMIT` when too many holds exist.
    @discardableResult
    public nonisolated func suspend(
        _ subject: HoldSubject, reason: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        let request = Request(.suspend).with(subject).with("reason", reason)
        return try await self.request(request, timeout: timeout)
    }

    /// Releases a hold by an operator or by the server. Without a hold nothing changes.
    ///
    /// - Throws: As ``suspend(_:reason:timeout:)``, but for `INSTANCE_DONE` and `LIMIT`.
    @discardableResult
    public nonisolated func resume(
        _ subject: HoldSubject, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await request(Request(.resume).with(subject), timeout: timeout)
    }
}

extension Request {
    fileprivate consuming func with(_ subject: HoldSubject) -> Request {
        switch subject {
        case .instance(let name): with("to", name)
        case .machine(let name): with("machine", name)
        }
    }
}
