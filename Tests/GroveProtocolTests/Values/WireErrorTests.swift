import GroveEngine
import GroveWire
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("WireError")
struct WireErrorTests {
    static let cursors = CursorText(log: LogID(high: 0, low: 0))
    static let name = InstanceName("counter/c")
    static let zero = String(repeating: "A", count: 22)

    private func line(_ failure: Failure) -> String {
        line(WireError(failure, cursors: Self.cursors))
    }

    private func line(_ error: WireError) -> String {
        var writer = JSONWriter()
        writer.object { error.append(to: &$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `an error has code, message and whether to try again, then its data`() {
        let expected =
            #"{"error":{"code":"BAD_REQUEST","message":"no \"to\"","retry":false,"#
            + #""data":{"at":"$.to"}}}"#
        #expect(line(WireError(.badRequest, at: "$.to", "no \"to\"")) == expected)
        #expect(
            line(WireError(.draining, "later"))
                == #"{"error":{"code":"DRAINING","message":"later","retry":true}}"#)
    }

    static var failures: [(Failure, String, String)] {
        guard let name else { return [] }
        let cursor = Cursor(sequence: 3)
        return [
            (.badRequest(path: "$.x", message: "m"), "BAD_REQUEST", #"{"at":"$.x"}"#),
            (.versionPastEnd(asked: 9, actual: 4), "BAD_REQUEST", #"{"at":"$.at","v":4}"#),
            (.busy("later"), "OVERLOADED", ""),
            (.overloaded, "OVERLOADED", ""), (.limit("m"), "LIMIT", ""),
            (.noSuchMachine("m"), "NO_SUCH_MACHINE", #"{"machine":"m"}"#),
            (.dedupMismatch(version: 2), "DEDUP_MISMATCH", #"{"v":2}"#),
            (.versionConflict(expected: "41", actual: 45), "VERSION_CONFLICT", #"{"v":45}"#),
            (.versionConflict(expected: "41", actual: nil), "VERSION_CONFLICT", #"{"v":null}"#),
            (.noSuchInstance(name), "NO_SUCH_INSTANCE", #"{"to":"counter/c"}"#),
            (
                .alreadyExists(name, version: 1), "ALREADY_EXISTS",
                #"{"to":"counter/c","v":1}"#
            ),
            (.instanceDone(name, version: 1), "INSTANCE_DONE", #"{"to":"counter/c","v":1}"#),
            (
                .badEvent(path: "$.event", message: "m", expected: "a, b"), "BAD_EVENT",
                #"{"at":"$.event","expected":"a, b"}"#
            ),
            (
                .badEvent(path: "$.event", message: "m", expected: nil), "BAD_EVENT",
                #"{"at":"$.event"}"#
            ),
            (.internalEvent("expire"), "INTERNAL_EVENT", #"{"event":"expire"}"#),
            (
                .eventRejected(
                    reason: "r", state: Array("1".utf8), event: Array("\"e\"".utf8),
                    accepts: ["a", "b"]), "EVENT_REJECTED",
                #"{"state":1,"event":"e","accepts":["a","b"]}"#
            ),
            (
                .eventRejected(reason: "r", state: [], event: [], accepts: []), "EVENT_REJECTED",
                #"{"state":null,"event":null,"accepts":[]}"#
            ),
            (.evaluation("m"), "EVAL_ERROR", ""), (.evaluationLimit("m"), "EVAL_LIMIT", ""),
            (.stepLimit("an event may cause 10 events", max: 10), "STEP_LIMIT", #"{"max":10}"#),
            (
                .stateTooLarge(bytes: 9, max: 8), "STATE_TOO_LARGE", #"{"bytes":9,"max":8}"#
            ),
            (.cursorTooOld(first: cursor), "CURSOR_TOO_OLD", #"{"first":"\#(zero)3"}"#),
            (.cursorForeign(first: cursor), "CURSOR_FOREIGN", #"{"first":"\#(zero)3"}"#),
            (.noSuchSubscription, "NO_SUCH_SUBSCRIPTION", ""), (.storageFull, "STORAGE_FULL", ""),
            (.noSuchEffect("m e"), "NO_SUCH_EFFECT", ""),
            (.timeout(isRepeatable: true), "TIMEOUT", ""),
            (
                .unsettled(version: 2, cursor: cursor, isRepeatable: false), "TIMEOUT",
                #"{"v":2,"cur":"\#(zero)3"}"#
            ),
            (.storageCorrupt("m"), "STORAGE_ERROR", ""),
        ]
    }

    @Test func `a TIMEOUT may be repeated only where that is no second event`() {
        let cursors = CursorText(log: LogID(high: 0, low: 0))
        for isRepeatable in [true, false] {
            let error = WireError(.timeout(isRepeatable: isRepeatable), cursors: cursors)
            #expect(line(error).contains("\"retry\":\(isRepeatable)"))
        }
    }

    @Test(arguments: failures)
    func `a refusal of the engine is one error with its data`(
        failure: Failure, code: String, data: String
    ) {
        let text = line(failure)
        #expect(text.hasPrefix(#"{"error":{"code":"\#(code)","message":""#), "\(text)")
        let end = data.isEmpty ? #"e}}"# : #","data":\#(data)}}"#
        #expect(text.hasSuffix(end), "\(text)")
    }

    @Test func `a conflict has the expected and the present version`() {
        #expect(
            line(.versionConflict(expected: "41", actual: 45)).contains("expected 41, is 45"))
        #expect(
            line(.versionConflict(expected: "exists", actual: nil))
                .contains("expected exists, but there is no such instance"))
    }
}
