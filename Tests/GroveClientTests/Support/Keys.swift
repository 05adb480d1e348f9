import GroveClient
import OrderedJSON
import Synchronization

/// The dedup keys that a fake server has seen, in their order.
final class Keys: Sendable {
    private let keys = Mutex([String]())

    var all: [String] { keys.withLock { $0 } }

    func add(_ request: JSONValue) {
        keys.withLock { $0.append(request["dedup"]?.string ?? "") }
    }

    /// Those of the items of a batch.
    func add(batch: JSONValue) {
        for item in batch["items"]?.array ?? [] { add(item) }
    }
}

extension Client {
    /// Waits for a condition, and closes.
    func closeWhen(_ holds: () -> Bool) async {
        while !holds() { await Task.yield() }
        close()
    }
}
