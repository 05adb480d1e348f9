import OrderedJSON
import Statecharts

extension FuzzTarget {
    /// Stored states of one chart that has everything. Whatever is read as a state takes events and
    /// is moved to another version, and every state after it is readable.
    static let chartState = FuzzTarget(
        "chart-state",
        words: [
            "{\"value\":\"idle\",\"context\":{}}",
            "\"value\":{\"work\":{\"left\":\"l1\",\"right\":",
            "\"history\":{\"last\":[\"l2\",\"r1\"]}", "\"history\":{\"all\":[\"x\",\"r2\"]}",
            "\"l1\"", "\"l2\"", "\"r1\"", "\"r2\"", "\"x\"", "\"y\"", "\"deep\"", "\"left\"",
            "\"right\"",
            "\"recent\"", "\"last\"", "\"all\"", "\"work\"", "\"idle\"", "\"end\"",
            "\"deferred\":[{\"type\":\"LATER\",\"n\":1}]",
            "\"$meta\":{\"kind\":\"external\",\"via\":\"machine\",\"origin\":\"a/b\",\"serial\":3}",
            "\"invoked\":[{\"id\":\"k\",\"state\":\"work\",\"position\":0,\"serial\":1}]",
            "\"serial\":9007199254740991", "\"finished\":true", "9007199254740991", "-1",
            "\"context\":{\"n\":0,\"l\":[],\"x\":null}", "{}", "[]", "null", "1.5", "\"\\u0000\"",
        ],
        smokeInputs: 1_200
    ) { input in
        let charts = try versions.get()
        try charts.now.restore(input, further)
        try charts.next.migrate(input, from: charts.now, further)
    }

    private static let versions = Result {
        try (now: hosted(definition), next: hosted(nextDefinition))
    }

    private static func hosted(_ text: String) throws -> HostedChart {
        let json = try JSONValue(parsing: Array(text.utf8))
        guard let hosted = try HostedChart(Chart(json), json) else {
            throw Finding("the chart of this target can't be hosted")
        }
        return hosted
    }

    /// Events that no client sends.
    private static let further: [JSONValue] = [
        ["type": "after", "$meta": ["kind": "platform", "state": "l1", "timer": 0]],
        [
            "type": "done.invoke.k", "output": ["n": 1],
            "$meta": ["kind": "platform", "invoke": "k", "serial": 1],
        ],
        [
            "type": "TICK", "n": 2,
            "$meta": [
                "kind": "external", "via": "machine", "origin": "m/1", "invoke": "k", "serial": 1,
            ],
        ],
        ["type": "BACK"], ["type": "GO", "n": 5], ["type": "OUT"], ["type": "DEEP"],
        ["type": "END"],
    ]

    private static let definition = """
        {"id": "m", "version": "1.0.0", "initial": "idle", "context": {"n": 0, "l": [], "x": null},
         "events": {"LATER": {"type": "object", "additionalProperties": false,
           "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}}},
         "states": {
          "idle": {"defer": ["LATER"], "on": {"GO": "work", "BACK": "#last", "SHALLOW": "#recent",
            "DEEP": "#all", "END": "end"}},
          "work": {"type": "parallel",
            "invoke": [
              {"id": "k", "src": "h", "input": {"n": "context.n"}, "autoforward": true,
               "finalize": {"assign": {"n": "context.n + 1"}}, "onDone": "idle",
               "onError": {"assign": {"x": "event.error"}}},
              {"src": {"machine": {"initial": "w", "states": {"w": {}}}}}],
            "on": {"OUT": "idle", "ADD": {"assign": {"l": "context.l + [event]"}}},
            "exit": {"raise": "left"},
            "states": {
              "left": {"initial": "l1", "states": {
                "l1": {"after": {"1s": "l2"}, "defer": ["LATER", "more.*"], "on": {"GO": "l2"}},
                "l2": {"initial": "x",
                  "on": {"LATER": {"target": "l1", "log": "[event.n + 1, size(event.s)]"}},
                  "states": {"x": {"on": {"GO": "y"}}, "y": {"type": "final"}}},
                "recent": {"type": "history", "target": "l2"}}},
              "right": {"initial": "r1", "states": {
                "r1": {"on": {"TICK": {"target": "r2", "send": {"event": "GO", "delay": "1s",
                  "id": {"assign": "x"}}}}},
                "r2": {"entry": {"send": {"event": "TICK", "to": "child:k"}},
                  "after": {"5s": {"target": "r1", "emit": "late"}}}}},
              "last": {"type": "history", "target": "#left"},
              "all": {"type": "history", "history": "deep", "target": ["#y", "#r2"]}}},
          "end": {"type": "final", "output": "context"}}}
        """

    /// In this version the regions are states of which one is active.
    private static let nextDefinition = """
        {"id": "m", "version": "2.0.0", "initial": "idle", "context": {"n": 0, "l": [1]},
         "migrates": {"states": {"l1": "left"}, "context": {"n": "context.n + 1"}},
         "states": {
          "idle": {"on": {"GO": "work", "BACK": "#last", "DEEP": "#all", "SHALLOW": "#recent"}},
          "work": {"initial": "left", "invoke": {"id": "k", "src": "h"},
            "on": {"OUT": "idle", "LATER": ".right"},
            "states": {"left": {"initial": "recent", "states": {
                "l2": {"type": "parallel", "states": {"x": {}, "y": {"after": {"1s": "#r1"}}}},
                "recent": {"type": "history", "target": "l2"}}},
              "right": {"initial": "r1", "states": {"r1": {}, "r2": {}}},
              "last": {"type": "history", "target": "left"},
              "all": {"type": "history", "history": "deep", "target": "#r2"}}}}}
        """
}
