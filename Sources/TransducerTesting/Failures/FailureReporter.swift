import Testing

/// The receiver of failures: Swift Testing, XCTest, or a closure.
///
/// This library links Swift Testing, but not XCTest, so that products built on it don't need it.
/// A test written with XCTest passes the function that reports its failures:
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
    /// Outside of such a test an issue would be lost in silence, therefore ``automatic`` exists.
    public static let swiftTesting = FailureReporter { failure in
        Issue.record(Comment(rawValue: failure.message), sourceLocation: failure.place)
    }

    /// Reports to XCTest by the function given: `XCTFail`.
    public static func xctest(
        _ fail: @escaping @Sendable (String, StaticString, UInt) -> Void
    ) -> FailureReporter {
        FailureReporter {
            fail($0.message, StaticString(permanent: $0.place.filePath), UInt($0.place.line))
        }
    }

    /// ``swiftTesting`` inside a test of Swift Testing. Elsewhere a failure stops the process with
    /// its text, because it couldn't be reported: a test of XCTest needs ``xctest(_:)``.
    public static var automatic: FailureReporter {
        if Test.current != nil { return .swiftTesting }
        return FailureReporter { failure in
            fatalError(
                "\(failure.message)\nThis is no test of Swift Testing: with XCTest, make the "
                    + "test transducer with reporter: .xctest(XCTFail).",
                file: StaticString(permanent: failure.place.filePath),
                line: UInt(failure.place.line))
        }
    }
}

extension StaticString {
    /// The text as a static string: XCTest and `fatalError` need one for the path of a file.
    /// `SourceLocation` has only a `String`.
    ///
    /// The copy is never freed: use it only for the report of a failure.
    fileprivate init(permanent text: String) {
        let bytes = Array(text.utf8) + [0]
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        // The stored properties of the frozen type: address, count of bytes, and flags, of which
        // bit 0 stands for a single scalar instead of an address, and bit 1 for ASCII alone.
        let flags: UInt8 = bytes.allSatisfy { $0 < 128 } ? 0b10 : 0
        self = unsafeBitCast(
            (UInt(bitPattern: copy), UInt(bytes.count - 1), flags), to: StaticString.self)
    }
}
