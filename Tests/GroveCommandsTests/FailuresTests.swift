import OrderedJSON
import Testing

@testable import GroveClient
@testable import GroveCommands

@Suite("Failures for people")
struct FailuresTests {
    private func text(_ error: String) throws -> String {
        let document = try JSONDocument(parsing: Array(error.utf8))
        return Failures.text(
            .server(ServerError(document, at: document.root)), Style(of: -1, .never))
    }

    @Test func `a missing instance isn't reported as a conflict`() throws {
        let absent = try text(
            #"{"code":"VERSION_CONFLICT","message":"x","retry":false,"data":{"v":null}}"#)
        #expect(absent.contains("'grove list' shows the instances there are"))
        #expect(!absent.contains("another client was faster"))
        let changed = try text(
            #"{"code":"VERSION_CONFLICT","message":"x","retry":false,"data":{"v":3}}"#)
        #expect(changed.contains("another client was faster"))
    }

    @Test func `a name of a principal that is in use is no instance`() throws {
        let principal = try text(
            #"{"code":"ALREADY_EXISTS","message":"x","retry":false,"data":{"principal":"shop"}}"#)
        #expect(principal.contains("hint: 'grove principal list'"))
        let instance = try text(
            #"{"code":"ALREADY_EXISTS","message":"x","retry":false,"data":{"to":"a/b","v":1}}"#)
        #expect(instance.contains("hint: 'grove get'"))
    }

    @Test func `what to do about TLS is said once, in terms of flags`() {
        let style = Style(of: -1, .never)
        for reason in TLSProblem.Reason.allCases {
            let problem = TLSProblem(reason, "tls:h:1: something failed")
            let text = Failures.text(.tlsFailed(problem), style)
            #expect(text.hasPrefix("error: TLS_FAILED: tls:h:1: something failed"))
            let isInMessage = problem.advice.map { text.contains($0) } ?? false
            let isHint = text.contains("\nhint: ")
            #expect(!(isInMessage && isHint), "\(text)")
            #expect(problem.advice == nil || isInMessage || isHint, "\(text)")
        }
    }
}
