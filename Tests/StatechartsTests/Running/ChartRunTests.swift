import CEL
import Testing

@testable import Statecharts

/// Runs in virtual time.
struct ChartRunTests {
    @Test func `time moves only when nothing else can happen, until the machine is finished`()
        throws
    {
        var trial = try Trial(
            #"""
            {"initial":"a","states":{"a":{"after":{"P30D":"b"},"entry":{"send":{"event":"now"}},
              "on":{"now":{"log":"now == timestamp('2023-11-14T22:13:20Z')"}}},
              "b":{"after":{"1h":"c"}},"c":{"type":"final"}}}
            """#)
        try trial.run.runToEnd()
        #expect(trial.active == "c")
        #expect(trial.run.elapsed == 30 * 86_400_000 + 3_600_000)
        #expect(trial.log == ["true"])
    }

    @Test func `machines that send to each other for ever are given up`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","on":{"E":{"send":{"event":"E"}}},"states":{"a":{}}}
                """#.utf8))
        let start = try #require(CELTimestamp(seconds: 0))
        var run = ChartRun(chart, start: start)
        try run.start()
        run.records = []
        #expect(throws: ChartRunError.endless) { try run.send(ChartEvent("E")) }
    }

    @Test func `delayed sends that grow for ever are given up early`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","states":{"a":{"entry":{"send":{"event":"late","delay":"1h"}},
                  "after":{"0ms":"a"}}}}
                """#.utf8))
        let start = try #require(CELTimestamp(seconds: 0))
        var run = ChartRun(chart, start: start)
        #expect(throws: ChartRunError.endless) { try run.advance(milliseconds: 1) }
        #expect(run.waiting.count <= ChartLimits.waitingMax + 2)
    }

    @Test func `machines that start each other for ever are given up`() throws {
        let trial = try Trial(
            #"{"initial":"a","states":{"a":{"invoke":{"src":"machine:kid"}}}}"#,
            machines: [
                "kid": #"""
                {"id":"kid","initial":"a","states":{"a":{"invoke":{"src":"machine:kid",
                 "onError":{"log":"event.error.code"}}}}}
                """#
            ])
        #expect(trial.log == [#""LIMIT""#])
        #expect(trial.run.instanceStates.count == ChartLimits.instanceLevelsMax + 1)
    }

    @Test func `a time after the year 9999 is an error`() throws {
        var trial = try Trial(#"{"initial":"a","states":{"a":{}}}"#)
        #expect(throws: ChartRunError.endOfTime) {
            try trial.run.advance(milliseconds: .max)
        }
    }

    @Test func `timers fire by their time, and of one time in the order of their start`() {
        var queue = RunTimerQueue()
        for (index, due) in [5, 3, 5, 4, 3].enumerated() {
            queue.insert(
                RunTimerQueue.Timer(
                    due: Int64(due), owner: index == 3 ? "b" : "a", name: .send("\(index)"),
                    delivery: RunDelivery(to: "a", content: .start(CELMap()))))
        }
        queue.cancel(.send("1"), of: "b")
        queue.cancel(.send("2"), of: "a")
        var order: [String] = []
        while let timer = queue.popFirst() { order.append("\(timer.due)\(timer.name)") }
        #expect(order.map { $0.prefix(1) } == ["3", "3", "4", "5"])
        #expect(order.first?.contains("\"1\"") == true)
    }

    @Test func `the same run gives the same random numbers`() throws {
        let text =
            #"{"initial":"a","states":{"a":{"entry":{"log":"rand"},"on":{"E":{"log":"rand"}}}}}"#
        var one = try Trial(text)
        var other = try Trial(text)
        try one.send("E")
        try other.send("E")
        #expect(one.log == other.log)
        #expect(Set(one.log).count == 2)
    }
}
