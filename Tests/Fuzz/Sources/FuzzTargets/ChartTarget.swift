import OrderedJSON
import Statecharts

extension FuzzTarget {
    /// Definitions of statecharts. What the reader accepts is described, drawn and run, as a server
    /// does it, and each of its states must be readable once written.
    static let chart = FuzzTarget(
        "chart",
        words: [
            "{\"initial\":\"a\",\"states\":{\"a\":{}}}", "\"states\":{\"a\":{},\"b\":{}}",
            "\"type\":\"parallel\"", "\"type\":\"final\"", "\"type\":\"history\"",
            "\"history\":\"deep\"", "\"initial\":\"a\"", "\"initial\":[\"#a\",\"#b\"]",
            "\"target\":\"#a\"", "\"target\":[\"#a\",\"#b\"]", "\"target\":\".a\"",
            "\"reenter\":true", "\"on\":{\"E\":\"b\"}", "\"on\":[{\"event\":[\"E\",\"f.*\"]}]",
            "\"always\":{\"guard\":\"context.n < 3\",\"target\":\"a\"}", "\"after\":{\"1s\":\"b\"}",
            "\"after\":[{\"delay\":{\"expr\":\"context.n\"},\"target\":\"a\"}]",
            "\"entry\":[[{\"raise\":\"E\"}],[{\"log\":\"event\"}]]", "\"exit\":{\"emit\":\"x\"}",
            "\"assign\":{\"n\":\"context.n + 1\"}", "\"assign\":{\"l[0].a\":\"[event]\"}",
            "\"send\":{\"event\":\"E\",\"to\":\"child:k\",\"delay\":\"1s\",\"id\":\"s\"}",
            "\"id\":{\"assign\":\"n\"}", "\"cancel\":\"s\"",
            "\"raise\":{\"type\":\"E\",\"v\":\"1\"}",
            "\"choose\":[{\"guard\":\"in('a')\",\"actions\":[]}]",
            "\"foreach\":{\"in\":\"context.l\",\"item\":\"x\",\"index\":\"i\",\"actions\":[]}",
            "\"invoke\":{\"id\":\"k\",\"src\":\"http\",\"url\":\"http://a\"}",
            "\"src\":{\"machine\":{\"initial\":\"w\",\"states\":{\"w\":{}}}}",
            "\"src\":{\"machine\":{\"expr\":\"context.l\"}}", "\"src\":{\"expr\":\"event.src\"}",
            "\"onDone\":\"b\"", "\"onError\":{\"target\":\"a\"}", "\"autoforward\":true",
            "\"finalize\":{\"assign\":{\"n\":\"1\"}}", "\"defer\":[\"E\"]", "\"strict\":true",
            "\"output\":{\"v\":\"context.n\"}", "\"errors\":\"scxml\"", "\"tags\":[\"t\"]",
            "\"context\":{\"n\":0,\"l\":[1,{}]}", "\"guards\":{\"g\":\"event.v > 1\"}",
            "\"events\":{\"E\":{\"properties\":{\"v\":{\"type\":\"integer\"}}}}",
            "\"migrates\":{\"states\":{\"a\":\"b\"},\"context\":{\"n\":\"1\"}}", "\"id\":\"m\"",
        ],
        smokeInputs: 600
    ) { input in
        let json: JSONValue
        let chart: Chart
        do throws(ChartProblems) {
            json = try Chart.json(parsing: input)
            chart = try Chart(json)
        } catch {
            guard !error.errors.isEmpty else { throw Finding("it is refused without an error") }
            return
        }
        try check(chart, json)
    }

    private static func check(_ chart: Chart, _ json: JSONValue) throws {
        guard chart.warnings.allSatisfy({ $0.severity == .warning }) else {
            throw Finding("it is accepted with an error: \(chart.warnings)")
        }
        for sample in chart.eventSamples where sample["type"]?.string == nil {
            throw Finding("an example is no event: \(sample)")
        }
        let drawing = chart.diagram(active: chart.stateIDs)
        guard drawing.unknown.isEmpty else {
            throw Finding("these aren't drawn: \(drawing.unknown)")
        }
        // As the next start reads it.
        guard try Chart(json, wasAccepted: true).diagram == chart.diagram else {
            throw Finding("once accepted, it is another chart")
        }
        guard let hosted = try HostedChart(chart, json) else { return }
        try hosted.start()
    }
}
