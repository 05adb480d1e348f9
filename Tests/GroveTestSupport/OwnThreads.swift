import Dispatch
public import Testing

/// Runs tests whose clients block on threads beside Swift's pool: the pool has as few threads as
/// there are processors, and with a blocked client on each none would be left for the server's
/// start and stop.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
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

    /// Applies to every test of a suite.
    public var isRecursive: Bool { true }

    /// Runs one test there.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}

extension Trait where Self == OwnThreads {
    /// For tests whose clients block.
    public static var ownThreads: OwnThreads { OwnThreads() }
}
