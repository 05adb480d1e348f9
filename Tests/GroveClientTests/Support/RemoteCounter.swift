import BuiltInMachines
import GroveClient

/// A remote counter, and every output that it has reported.
@MainActor
final class RemoteCounter {
    private(set) var outputs: [Int] = []
    private var following: RemoteTransducer<Counter.State, Counter.Event, Counter.Output>?

    /// The remote machine.
    var host: RemoteTransducer<Counter.State, Counter.Event, Counter.Output> {
        guard let following else { preconditionFailure("the counter was dropped") }
        return following
    }

    init(_ name: String, client: Client) {
        following = RemoteTransducer(name, client: client, outputsMax: 3) { [weak self] output in
            self?.outputs.append(output)
        }
    }

    /// Whether it was not dropped.
    var isFollowing: Bool { following != nil }

    /// Drops the remote machine.
    func drop() { following = nil }

    /// Waits for a condition.
    func wait(until holds: @MainActor (RemoteCounter) -> Bool) async throws {
        while !holds(self) { try await Task.sleep(for: .milliseconds(1)) }
    }
}
