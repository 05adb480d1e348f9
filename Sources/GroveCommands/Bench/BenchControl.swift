import Synchronization

/// What the threads of a benchmark and the one that shows progress have in common.
final class BenchControl: Sendable {
    /// Set to end the run early.
    let isStopping = Atomic(false)
    /// Events acknowledged and refused so far.
    let acknowledged = Atomic(0)
    let refused = Atomic(0)
    /// Notices for people, in order.
    private let notices = Mutex([String]())

    /// Leaves a notice to be shown with the next progress.
    func notice(_ text: String) { notices.withLock { $0.append(text) } }

    /// The notices since the last call.
    func takeNotices() -> [String] {
        notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
    }
}
