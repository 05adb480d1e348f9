import Testing
import TransducerTesting
import Transducers

#if canImport(XCTest)
    import XCTest
#endif

@Suite("FailureReporter")
struct FailureReporterTests {
    static let place = SourcePlace(
        fileID: "Module/File.swift", filePath: "/somewhere/File.swift", line: 12, column: 3)
    let failure = TestFailure("something is wrong", at: place)

    @Test func `Swift Testing gets an issue at the place of the statement`() {
        withKnownIssue {
            FailureReporter.swiftTesting.report(failure)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["something is wrong"]
                && issue.sourceLocation
                    == SourceLocation(
                        fileID: "Module/File.swift", filePath: "/somewhere/File.swift", line: 12,
                        column: 3)
        }
    }

    @Test func `inside a test of Swift Testing, that is what happens by itself`() async {
        await withKnownIssue {
            let counter = TestTransducer<Counter>(initialState: Counter.State())
            await counter.send(.rename("d"))
            counter.skipOutputs()
        } matching: { issue in
            issue.comments.first?.rawValue.contains("No change was stated.") == true
                && issue.sourceLocation?.fileName == "FailureReporterTests.swift"
        }
    }

    @Test func `XCTest's function gets message, file and line`() {
        let calls = FailureRecorder()
        let reporter = FailureReporter.xctest { message, file, line in
            calls.reporter.report(
                TestFailure(message, at: SourcePlace(fileID: file, line: line)))
        }
        reporter.report(failure)
        #expect(
            calls.takeAll() == [
                TestFailure(
                    "something is wrong",
                    at: SourcePlace(fileID: "/somewhere/File.swift", line: 12))
            ])
    }

    #if canImport(XCTest)
        @Test func `XCTFail is such a function`() {
            // It compiles; outside of a test of XCTest there is nobody to report to.
            _ = FailureReporter.xctest(XCTFail)
        }
    #endif

    @Test func `places are equal on the same line of the same file`() {
        let other = SourcePlace(
            fileID: "Module/File.swift", filePath: "/elsewhere/File.swift", line: 12, column: 9)
        #expect(Self.place == other)
        #expect(Self.place != SourcePlace(fileID: "Module/File.swift", line: 13))
        #expect(Self.place != SourcePlace(fileID: "Module/Other.swift", line: 12))
    }

    @Test func `outside of a test, a failure stops the process with its text`() async {
        await #expect(processExitsWith: .failure) {
            await Task.detached {
                FailureReporter.automatic.report(TestFailure("lost", at: SourcePlace()))
            }.value
        }
    }
}
