public import Observation

/// One instance on a server as an observable object: for views, and for other code that uses the
/// Observation framework.
///
/// It begins with the instance's state, follows every change and every output, and continues after
/// the last one when the connection was lost: none is missed, none comes twice. It lives on the
/// main actor, where views are. It follows its instance until ``cancel()``, or until it is
/// released.
///
/// ```swift
/// let gate = RemoteTransducer<Turnstile.State, Turnstile.Event, Turnstile.Output>(
///     "turnstile/gate", client: client)
/// try await gate.send(.coin)
/// ```
@MainActor
public final class RemoteTransducer<
    State: Decodable & Sendable, Event: Encodable & Sendable, Output: Decodable & Sendable
> {
    /// The instance, `machine/instance`.
    public nonisolated let name: String
    /// The client for the server.
    public nonisolated let client: Client

    private let model: RemoteModel<State, Output>
    private let task: Task<Void, Never>

    /// Follows an instance, which need not exist yet.
    ///
    /// - Parameters:
    ///   - outputsMax: The largest number of outputs in ``outputs``, at least 0.
    ///   - onOutput: Called with every output once, in order.
    public init(
        _ name: String, client: Client, outputsMax: Int = 16,
        onOutput: @escaping @MainActor (Output) -> Void = { _ in }
    ) {
        self.name = name
        self.client = client
        let model = RemoteModel<State, Output>(outputsMax: outputsMax, onOutput: onOutput)
        self.model = model
        // The task holds the model and not this object: releasing this object ends it.
        task = Task { await model.follow(name, with: client) }
    }

    deinit { task.cancel() }

    /// The instance's state; `nil` before it is known, and when there is no such instance.
    public var state: State? { model.state }

    /// The version of ``state``: that of the last event that changed it.
    public var version: Int64? { model.version }

    /// Whether the instance is done and accepts no more events.
    public var isDone: Bool { model.isDone }

    /// The latest outputs since this object was made, oldest first.
    public var outputs: [Output] { model.outputs }

    /// How current the values are.
    public var status: RemoteStatus { model.status }

    /// The number of gaps in the records: the server's retention had removed them before they were
    /// sent, or its data was replaced by older data. The state is right in any case.
    public var gaps: Int { model.gaps }

    /// Sends an event and waits until its step is stored. ``state`` and ``outputs`` change when the
    /// server's records of it have come, soon after or before.
    ///
    /// - Throws: ``ClientError``, as the client's own `send`.
    @discardableResult
    public func send(
        _ event: Event, dedup: String? = nil, expect expectation: Expectation? = nil,
        timeout: Duration? = nil
    ) async throws(ClientError) -> SendReply {
        try await client.send(
            to: name, encoding: event, dedup: dedup, expect: expectation, timeout: timeout)
    }

    /// Stops following. The values stay as they are; sending still works.
    public func cancel() { task.cancel() }
}

extension RemoteTransducer: Observable {}
