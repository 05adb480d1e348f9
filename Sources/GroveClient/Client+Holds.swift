import GroveWire
import OrderedJSON

/// What an operator holds for a while (protocol.md, "suspend").
public enum HoldSubject: Hashable, Sendable {
    /// The instance of this name, `machine/instance`.
    case instance(String)
    /// All instances of the machine of this name.
    case machine(String)

    fileprivate func add(to request: inout Request) {
        switch self {
        case .instance(let name): request.set("to", .string(name))
        case .machine(let name): request.set("machine", .string(name))
        }
    }
}

extension Client {
    /// Suspends an instance, or all of a machine: its events are refused with `SUSPENDED`, and its
    /// effects and timers sleep until ``resume(_:timeout:)``. A second time changes nothing.
    ///
    /// - Throws: ``ClientError/server(_:)`` with `NO_SUCH_INSTANCE`, `NO_SUCH_MACHINE`,
    ///   `INSTANCE_DONE`, or `LIMIT` when too much is held, and every other case of
    ///   ``ClientError`` but `gap`.
    @discardableResult
    public nonisolated func suspend(
        _ subject: HoldSubject, reason: String? = nil, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        var request = Request(.suspend)
        subject.add(to: &request)
        if let reason { request.set("reason", .string(reason)) }
        return try await self.request(request, timeout: timeout)
    }

    /// Lets go what was suspended, or what the server has set aside. What isn't held stays as it
    /// is.
    ///
    /// - Throws: as ``suspend(_:reason:timeout:)``, but for `INSTANCE_DONE` and `LIMIT`.
    @discardableResult
    public nonisolated func resume(
        _ subject: HoldSubject, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        var request = Request(.resume)
        subject.add(to: &request)
        return try await self.request(request, timeout: timeout)
    }

    /// Lets an instance go on that the server has set aside, because its steps had ended the
    /// process (`SET_ASIDE`).
    ///
    /// - Throws: ``ClientError/server(_:)`` with `BAD_REQUEST` when it isn't set aside, and every
    ///   other case of ``ClientError`` but `gap`.
    @discardableResult
    public nonisolated func retry(
        _ name: String, timeout: Duration? = nil
    ) async throws(ClientError) -> Reply {
        try await request(Request.about(name, .retry), timeout: timeout)
    }
}
