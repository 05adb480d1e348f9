import Foundation
import Testing

@testable import GroveBench

@Suite("AckRecorder")
struct AckRecorderTests {
    @Test func `an acknowledged event is a line of JSON`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
        defer { try? FileManager.default.removeItem(at: url) }
        guard var recorder = AckRecorder(path: url.path()) else {
            Issue.record("the file can't be made")
            return
        }
        for (line, dedup) in [(#"{"id":1,"ok":true,"v":7}"#, "k"), (#"{"id":2,"ok":true}"#, nil)] {
            Array(line.utf8).withUnsafeBytes {
                recorder.record(
                    $0, name: Array("counter/a".utf8), dedup: dedup.map { Array($0.utf8) },
                    isDuplicate: dedup != nil)
            }
        }
        recorder.flush()
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(
            text == """
                {"to":"counter/a","v":7,"dedup":"k","dup":true}
                {"to":"counter/a","v":null}

                """)
    }
}
