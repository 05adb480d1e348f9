import Testing
import TransducerTesting
import Transducers

/// Keeps failures, so that a test can look at their text.
final class FailureRecorder: @unchecked Sendable {
    // Sendable, because the list is used under the lock alone.
    private let lock = Lock()
    private var failures: [TestFailure] = []

    /// Adds to this one's failures.
    var reporter: FailureReporter {
        FailureReporter { failure in
            self.lock.lock()
            self.failures.append(failure)
            self.lock.unlock()
        }
    }

    /// What was reported so far, in order; and forgets it.
    func takeAll() -> [TestFailure] {
        lock.lock()
        defer { lock.unlock() }
        defer { failures = [] }
        return failures
    }

    /// Expects one failure with this text, and no other.
    func expect(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let messages = takeAll().map(\.message)
        #expect(messages == [message], sourceLocation: sourceLocation)
    }

    /// Expects that nothing was reported.
    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(takeAll().map(\.message) == [], sourceLocation: sourceLocation)
    }
}
