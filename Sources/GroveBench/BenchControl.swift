import Synchronization

/// The state that the threads of a benchmark share with the task that shows progress.
package final class BenchControl: Sendable {
    package let isStopping = Atomic(false)
    /// Events acknowledged and refused so far.
    package let acknowledged = Atomic(0)
    package let refused = Atomic(0)
    private let notices = Mutex([String]())

    package init() {}

    /// Adds a notice for people, shown with the next progress.
    func notice(_ text: String) { notices.withLock { $0.append(text) } }

    /// The notices since the last call.
    package func removeNotices() -> [String] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }
}
