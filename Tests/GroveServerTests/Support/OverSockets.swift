import Dispatch
import Testing

/// The tests that talk over real sockets, one after the other, on threads of their own.
@Suite("Over sockets", .serialized, .ownThreads)
enum OverSockets {}

/// Runs tests whose clients block on threads beside Swift's pool: the pool has as few threads as
/// there are processors, and with a blocked client on each none would be left for the server's
/// start and stop.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Gives each job a queue, and so a thread, of its own.
    private final class Executor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let executor = asUnownedTaskExecutor()
            DispatchQueue(label: "test.blocking").async {
                job.runSynchronously(on: executor)
            }
        }
    }

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    static var ownThreads: OwnThreads { OwnThreads() }
}
