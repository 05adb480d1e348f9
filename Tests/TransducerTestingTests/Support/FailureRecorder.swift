import Testing
import TransducerTesting
import Transducers

/// Keeps failures, so that a test can check their text.
final class FailureRecorder: Sendable {
    private let failures = Locked<[TestFailure]>([])

    /// A reporter that adds failures to this recorder.
    var reporter: FailureReporter {
        FailureReporter { failure in self.failures.withLock { $0.append(failure) } }
    }

    /// Removes and returns the reports so far, in order.
    func takeAll() -> [TestFailure] {
        failures.withLock { failures in
            defer { failures = [] }
            return failures
        }
    }

    /// Expects exactly one failure, with this text.
    func expect(_ message: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let messages = takeAll().map(\.message)
        #expect(messages == [message], sourceLocation: sourceLocation)
    }

    /// Expects that nothing was reported.
    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(takeAll().map(\.message) == [], sourceLocation: sourceLocation)
    }
}
