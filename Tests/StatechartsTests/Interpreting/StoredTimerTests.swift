import OrderedJSON
import Testing

@testable import Statecharts

/// The event of a timer as it is stored.
@Suite struct StoredTimerTests {
    private func chart(_ text: String) throws -> Chart {
        try Chart(JSONValue(parsing: Array(text.utf8)))
    }

    @Test func `each chart finds its own timer of a state`() throws {
        let one = try chart(#"{"initial":"a","states":{"a":{},"w":{"after":{"1s":"a"}}}}"#)
        let other = try chart(#"{"initial":"w","states":{"w":{"after":{"1s":"a"}},"a":{}}}"#)
        let timer = ChartEvent.TimerID(state: 2, position: 0)
        let stored = StoredTimer(timer, of: one)
        #expect(stored.state == "w" && StoredTimer(stored.json) == stored)
        #expect(one.event(of: stored)?.timer == timer)
        #expect(other.event(of: stored)?.timer?.state == 1)
        let own = try chart(#"{"initial":"a","after":{"1s":"a"},"states":{"a":{}}}"#)
        let root = StoredTimer(ChartEvent.TimerID(state: 0, position: 0), of: own)
        #expect(root.state.isEmpty && own.event(of: root)?.timer?.state == 0)
        #expect(own.event(of: stored) == nil)
    }

    @Test(arguments: [
        "{}", "7", #"{"type":"after"}"#, #"{"$meta":{"kind":"platform","state":"a"}}"#,
        #"{"$meta":{"kind":"external","state":"a","timer":0}}"#,
    ])
    func `other events are none`(text: String) throws {
        #expect(try StoredTimer(JSONValue(parsing: Array(text.utf8))) == nil)
    }
}
