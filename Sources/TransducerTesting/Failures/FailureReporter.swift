import Testing

/// Where failures go: to Swift Testing, to XCTest, or wherever a closure takes them.
///
/// This library links Swift Testing, but not XCTest, so that products built on it don't need it.
/// A test written with XCTest hands in what it reports with:
///
/// ```swift
/// let door = TestTransducer<Door>(initialState: .closed, reporter: .xctest(XCTFail))
/// ```
public struct FailureReporter: Sendable {
    private let body: @Sendable (TestFailure) -> Void

    /// Gives each failure to `report`, on the thread that found it.
    public init(_ report: @escaping @Sendable (TestFailure) -> Void) { body = report }

    /// Reports one failure.
    public func report(_ failure: TestFailure) { body(failure) }

    /// Records issues of the Swift Testing test that is running.
    ///
    /// Outside of such a test an issue would be lost without a word, which is why ``automatic``
    /// exists.
    public static let swiftTesting = FailureReporter { failure in
        Issue.record(
            Comment(rawValue: failure.message), sourceLocation: failure.place.sourceLocation)
    }

    /// Reports to XCTest by the function given: `XCTFail`.
    public static func xctest(
        _ fail: @escaping @Sendable (String, StaticString, UInt) -> Void
    ) -> FailureReporter {
        FailureReporter { fail($0.message, $0.place.filePath, $0.place.line) }
    }

    /// ``swiftTesting`` inside a test of Swift Testing. Elsewhere a failure stops the process
    /// with its text, since nobody would hear of it: a test of XCTest needs ``xctest(_:)``.
    public static var automatic: FailureReporter {
        if Test.current != nil { return .swiftTesting }
        return FailureReporter { failure in
            fatalError(
                "\(failure.message)\nThis is no test of Swift Testing: with XCTest, make the "
                    + "test transducer with reporter: .xctest(XCTFail).",
                file: failure.place.filePath, line: failure.place.line)
        }
    }
}
