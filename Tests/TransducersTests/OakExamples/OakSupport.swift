import Testing
import Transducers

/// Something that happens once and can be waited for, by any number of tasks. Waiting is not
/// ended by cancellation: so it also stands for work that ignores being cancelled.
final class Signal: Sendable {
    private struct State {
        var isFired = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Locked(State())

    var isFired: Bool { state.withLock { $0.isFired } }

    func fire() {
        let waiting = state.withLock { state in
            state.isFired = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isFired = state.withLock { state in
                if !state.isFired { state.waiting.append(continuation) }
                return state.isFired
            }
            if isFired { continuation.resume() }
        }
    }
}

/// Values in the order in which they were noted, on any thread.
final class Notes<Value: Sendable>: Sendable {
    private let noted = Locked<[Value]>([])

    var values: [Value] { noted.withLock { $0 } }

    func add(_ value: Value) { noted.withLock { $0.append(value) } }
}

/// An actor of the tests' own, beside the main one.
@globalActor
actor Workshop {
    static let shared = Workshop()
}

/// Lets other tasks run until `condition` holds, or the test has taken too long.
func until(
    isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async -> Bool
) async {
    var rounds = 0
    while !(await condition()) {
        rounds += 1
        do {
            // A pause now and then, for those who don't get a turn beside a busy task.
            if rounds.isMultiple(of: 50) {
                try await Task.sleep(for: .milliseconds(1))
            } else {
                try Task.checkCancellation()
                await Task.yield()
            }
        } catch {
            Issue.record("waited in vain", sourceLocation: sourceLocation)
            return
        }
    }
}

/// Waits for cancellation, and notes that it came.
func sleepUntilCancelled(then signal: Signal) async throws {
    do {
        try await Task.sleep(for: .seconds(3_600))
    } catch {
        signal.fire()
        throw error
    }
}
