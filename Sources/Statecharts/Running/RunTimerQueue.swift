import CEL

/// The timers and delayed sends of a run, by the time at which they are due; of one time, in the
/// order in which they were started.
struct RunTimerQueue: Sendable {
    /// A timer or a delayed send.
    struct Timer: Sendable {
        enum Name: Sendable, Equatable {
            case send(String?)
            case state(Int32)
        }

        /// Milliseconds since the start of the run.
        let due: Int64
        /// The instance that started it.
        let owner: String
        let name: Name
        let delivery: RunDelivery
    }

    /// Sorted, the next one last.
    private var timers: [Timer] = []

    var count: Int { timers.count }
    var first: Timer? { timers.last }
    /// The next one first.
    var all: [Timer] { timers.reversed() }

    mutating func insert(_ timer: Timer) {
        // After those that are due at the same time, so before them in the list.
        var low = 0
        var high = timers.count
        while low < high {
            let middle = (low + high) / 2
            if timers[middle].due > timer.due { low = middle + 1 } else { high = middle }
        }
        timers.insert(timer, at: low)
    }

    mutating func popFirst() -> Timer? { timers.popLast() }

    mutating func cancel(_ name: Timer.Name, of owner: String) {
        timers.removeAll { $0.owner == owner && $0.name == name }
    }

    mutating func cancelAll(of owner: String) { timers.removeAll { $0.owner == owner } }
}
