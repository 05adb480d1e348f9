import Synchronization
import Testing
import TransducerTesting
import Transducers

#if canImport(XCTest)
    import XCTest
#endif

@Suite("FailureReporter")
struct FailureReporterTests {
    static let place = SourceLocation(
        fileID: "Module/File.swift", filePath: "/somewhere/File.swift", line: 12, column: 3)
    let failure = TestFailure("something is wrong", at: place)

    /// Returns the same failure at another location.
    func failure(_ fileID: String, line: Int) -> TestFailure {
        TestFailure(
            failure.message,
            at: SourceLocation(
                fileID: fileID, filePath: "/elsewhere/File.swift", line: line, column: 9))
    }

    @Test func `Swift Testing gets an issue at the place of the statement`() {
        withKnownIssue {
            FailureReporter.swiftTesting.report(failure)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["something is wrong"]
                && issue.sourceLocation == Self.place
        }
    }

    @Test func `inside a test of Swift Testing, this is the default`() async {
        await withKnownIssue {
            let counter = TestTransducer<Counter>(initialState: Counter.State())
            await counter.send(.rename("d"))
            counter.skipOutputs()
        } matching: { issue in
            issue.comments.first?.rawValue.contains("No change was stated.") == true
                && issue.sourceLocation?.fileName == "FailureReporterTests.swift"
        }
    }

    @Test(arguments: ["/somewhere/File.swift", "/anderswo/Prüfung.swift", ""])
    func `XCTest's function gets message, file and line`(path: String) {
        let calls = Mutex<[String]>([])
        let reporter = FailureReporter.xctest { message, file, line in
            #expect(file.isASCII == path.allSatisfy(\.isASCII))
            calls.withLock { $0.append("\(file):\(line): \(message)") }
        }
        let place = SourceLocation(
            fileID: "Module/File.swift", filePath: path, line: 12, column: 3)
        reporter.report(TestFailure("something is wrong", at: place))
        #expect(calls.withLock { $0 } == ["\(path):12: something is wrong"])
    }

    #if canImport(XCTest)
        @Test func `XCTFail is such a function`() {
            // This must compile. Outside of an XCTest test, nothing receives the failure.
            _ = FailureReporter.xctest(XCTFail)
        }
    #endif

    @Test func `failures are equal on the same line of the same file`() {
        #expect(failure == failure("Module/File.swift", line: 12))
        #expect(failure != failure("Module/File.swift", line: 13))
        #expect(failure != failure("Module/Other.swift", line: 12))
        #expect(failure != TestFailure("something else", at: Self.place))
    }

    @Test func `outside of a test, a failure stops the process with its text`() async {
        await #expect(processExitsWith: .failure) {
            await Task.detached {
                FailureReporter.automatic.report(TestFailure("lost", at: #_sourceLocation))
            }.value
        }
    }
}
