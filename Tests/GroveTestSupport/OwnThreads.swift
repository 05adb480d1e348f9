import Dispatch
public import Testing

/// Runs tests whose clients block on threads outside Swift's pool. The pool has as many threads as
/// there are processors; with a blocked client on each, none would be left for the server's
/// start and stop.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Gives each job a separate queue, and so a separate thread.
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
