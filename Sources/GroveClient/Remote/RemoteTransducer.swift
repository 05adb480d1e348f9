public import Observation

/// One instance on a server as an object that can be observed: for views, and for whatever else
/// uses the Observation framework.
///
/// It begins with the state that the instance has, follows every change and every output, and
/// goes on behind the last one after the connection was lost: none is missed, none comes twice.
/// It lives on the main actor, where views are. It follows its instance from its making until
/// ``cancel()``, or until it is dropped.
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
    /// What it talks to the server with.
    public nonisolated let client: Client

    private let model: RemoteModel<State, Output>
    private let task: Task<Void, Never>

    /// Begins to follow an instance, which need not exist yet.
    ///
    /// - Parameters:
    ///   - name: the instance, `machine/instance`.
    ///   - client: what it talks to the server with.
    ///   - outputsMax: how many of the latest outputs ``outputs`` shows, at least 0.
    ///   - onOutput: told every output once, in order.
    public init(
        _ name: String, client: Client, outputsMax: Int = 16,
        onOutput: @escaping @MainActor (Output) -> Void = { _ in }
    ) {
        self.name = name
        self.client = client
        let model = RemoteModel<State, Output>(outputsMax: outputsMax, onOutput: onOutput)
        self.model = model
        // The task holds the model, and not the host: dropping the host ends it.
        task = Task { await model.follow(name, with: client) }
    }

    deinit { task.cancel() }

    /// The instance's state; `nil` before it is known, and when there is no such instance.
    public var state: State? { model.state }

    /// The version of ``state``: that of the last event that changed it.
    public var version: Int64? { model.version }

    /// Whether the instance is done and takes no more events.
    public var isDone: Bool { model.isDone }

    /// The latest outputs since this object was made, oldest first.
    public var outputs: [Output] { model.outputs }

    /// How what is shown stands to what the server has.
    public var status: RemoteStatus { model.status }

    /// How often records were missing, because the server's retention had removed them before
    /// they were sent, or its data were replaced by older ones. The state is right all the same.
    public var gaps: Int { model.gaps }

    /// Sends an event and waits until what it caused is stored. ``state`` and ``outputs`` show it
    /// when the server's records of it have come, soon after or before.
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

    /// Ends following. What is shown stays as it is; sending goes on to work.
    public func cancel() { task.cancel() }
}

extension RemoteTransducer: Observable {}
