import GroveWire
import Observation
import OrderedJSON

/// The observable values of a remote instance, and the loop that updates them. Separate from
/// ``RemoteTransducer``, so that following doesn't keep that object alive.
@MainActor
@Observable
final class RemoteModel<State: Decodable & Sendable, Output: Decodable & Sendable> {
    private(set) var state: State?
    private(set) var version: Int64?
    private(set) var isDone = false
    private(set) var outputs: [Output] = []
    private(set) var status = RemoteStatus.connecting
    private(set) var gaps = 0

    @ObservationIgnored private let outputsMax: Int
    @ObservationIgnored private let onOutput: @MainActor (Output) -> Void
    /// Whether the present snapshot has had no state so far.
    @ObservationIgnored private var isSnapshotEmpty = true

    init(outputsMax: Int, onOutput: @escaping @MainActor (Output) -> Void) {
        self.outputsMax = max(0, outputsMax)
        self.onOutput = onOutput
    }

    /// Follows an instance until the task is cancelled or nothing more can come.
    func follow(_ name: String, with client: Client) async {
        let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
        let request = SubscriptionRequest(
            machine: parts.first, instance: parts.last,
            kinds: [.output, .state, .lifecycle], wantsSnapshot: true)
        var attempts = 0
        while true {
            do throws(ClientError) {
                let subscription = try await client.subscribe(request)
                attempts = 0
                guard await follow(subscription, name, client) else { return }
            } catch {
                attempts += 1
                let attemptsMax = client.options.reconnect.attemptsMax ?? .max
                guard !Task.isCancelled, error.isWorthReconnecting, attempts <= attemptsMax else {
                    status = .ended(Task.isCancelled ? nil : error)
                    return
                }
                status = .interrupted(error)
                await pause(client, attempts, error)
            }
        }
    }

    /// Follows one subscription to its end. Returns whether another one with a new snapshot can
    /// follow it.
    private func follow(
        _ subscription: Subscription, _ name: String, _ client: Client
    ) async -> Bool {
        isSnapshotEmpty = true
        let items = subscription.items.makeAsyncIterator()
        do throws(ClientError) {
            while let item = try await items.next() { try await apply(item, name, client) }
            status = .ended(nil)
            return false
        } catch {
            guard error.known == .cursorForeign || error.known == .cursorTooOld else {
                status = .ended(Task.isCancelled ? nil : error)
                return false
            }
            gaps += 1
            status = .interrupted(error)
            return true
        }
    }

    private func pause(_ client: Client, _ attempts: Int, _ error: ClientError) async {
        let pause = await client.pause(afterFailures: attempts, error)
        // A cancelled task doesn't pause; its next call throws.
        try? await Task.sleep(for: pause)
    }

    // MARK: Records

    private func apply(
        _ item: SubscriptionItem, _ name: String, _ client: Client
    ) async throws(ClientError) {
        switch item {
        case .record(let record): try apply(record)
        case .mark(.snapshot):
            if isSnapshotEmpty { clear() }
        case .mark(.gap):
            gaps += 1
            isSnapshotEmpty = true
            try await reload(name, client)
        case .mark(.live): status = .live
        case .mark: break
        case .interrupted(let error): status = .interrupted(error)
        case .resumed(let isAnew): if isAnew { isSnapshotEmpty = true }
        }
    }

    private func apply(_ record: Record) throws(ClientError) {
        switch record.kind {
        case .output:
            let output: Output = try record.output()
            outputs.append(output)
            if outputs.count > outputsMax { outputs.removeFirst(outputs.count - outputsMax) }
            onOutput(output)
        case .state:
            if record.isSnapshot { isSnapshotEmpty = false }
            // After a gap the state is ahead of the records that follow.
            if let version, let next = record.version, !record.isSnapshot, next <= version {
                return
            }
            state = try record.state()
            version = record.version
            if record.isSnapshot { isDone = record.isDone }
        case .lifecycle:
            switch record.value("lifecycle")?.string {
            case "deleted": clear()
            case "done", "stopped": isDone = true
            default: break
            }
        case .effect, .trace, nil: break
        }
    }

    /// Removes the values, because there is no such instance.
    private func clear() {
        state = nil
        version = nil
        isDone = false
    }

    /// Reads the instance again after a gap.
    private func reload(_ name: String, _ client: Client) async throws(ClientError) {
        // The record of its deletion may be among the missing ones.
        guard let reply = try await get(name, client) else { return clear() }
        if reply.version != version {
            state = try reply.state(as: State.self)
            version = reply.version
        }
        isDone = reply.isDone
    }

    /// Reads the instance, with any number of attempts; `nil` when it is gone. Without it, or with
    /// a new subscription, a change could be missed.
    private func get(_ name: String, _ client: Client) async throws(ClientError) -> InstanceReply? {
        var attempts = 0
        while true {
            do throws(ClientError) {
                return try await client.get(name)
            } catch {
                // It was deleted; the record of the deletion is on its way.
                if error.known == .noSuchInstance { return nil }
                guard error.isWorthReconnecting, !Task.isCancelled else { throw error }
                attempts += 1
                await pause(client, attempts, error)
            }
        }
    }
}
