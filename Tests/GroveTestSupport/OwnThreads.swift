import Dispatch
import Foundation
public import Testing

/// Runs tests on threads outside Swift's pool, because their clients block. The pool has only as
/// many threads as there are processors. If blocked clients held all of them, the server couldn't
/// start or stop.
public struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Gives each job a new queue, and so its own thread.
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

    /// Runs one test on this executor.
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

/// Runs work that blocks on a thread of its own, so that it holds none of the few threads that
/// tasks share with `DispatchQueue.global()`.
public func onOwnThread<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            continuation.resume(returning: Result { () throws(Failure) in try work() })
        }
    }
    return try result.get()
}
