import CEL
import OrderedJSON
import Statecharts
import Testing

@testable import ChartImport

struct XStateImporterTests {
    private func imported(_ text: String) -> ImportResult {
        XStateImporter.definition(Array(text.utf8), name: "m")
    }

    private func definition(_ text: String) throws -> JSONValue {
        let result = imported(text)
        let definition = try #require(result.definition, "\(result.problems)")
        _ = try Chart(definition)
        return definition
    }

    private func problems(_ text: String) -> [String] {
        imported(text).problems.map(\.description)
    }

    private func run(_ definition: JSONValue) throws -> ChartRun {
        let start = try #require(CELTimestamp(seconds: 1_700_000_000))
        var run = ChartRun(try Chart(definition), machines: [:], start: start)
        try run.start()
        return run
    }

    @Test func `states, targets and delays have our words`() throws {
        let found = try definition(
            """
            {"id": "light", "initial": "green", "context": {"n": 1, "s": "text"},
             "states": {"green": {"after": {"1000": "yellow"}, "tags": "go"},
               "yellow": {"on": {"NEXT": {"target": "#light.red.stop"}}},
               "red": {"initial": "walk", "states": {"walk": {"on": {"X": "stop"}},
                 "stop": {"type": "final", "output": {"why": "done"}}}, "onDone": "green"}}}
            """)
        #expect(
            found.description == ##"{"id":"light","version":"1.0.0","context":{"n":1,"s":"text"},"##
                + ##""initial":"green","states":{"green":{"after":{"1000ms":"yellow"},"##
                + ##""tags":["go"]},"##
                + ##""yellow":{"on":{"NEXT":"#stop"}},"red":{"initial":"walk","states":{"##
                + ##""walk":{"on":{"X":"stop"}},"stop":{"type":"final","##
                + ##""output":{"why":"'done'"}}},"##
                + ##""onDone":"green"}}}"##)
        var run = try run(found)
        try run.advance(milliseconds: 1_000)
        #expect(run.activeStates == ["yellow"])
        try run.send(ChartEvent("NEXT"))
        #expect(run.activeStates == ["green"])
    }

    @Test func `a name wins against a pattern, also one of the end of an invocation`() throws {
        let text = """
            {"initial": "a", "states": {"a": {"on": {"*": "b", "E": {"target": "c", "guard": "g"}},
             "invoke": {"id": "k", "src": "load", "onDone": "c"}}, "b": {}, "c": {}}}
            """
        let found = try definition(text)
        let names = found["states"]?["a"]?.object?.members.map(\.name)
        #expect(names == ["invoke", "on"])
        #expect(
            problems(text).contains(
                "1:52: warning: if no guard of 'E' is true, '*' is tried here, and not in XState"))
        var run = try run(found)
        try run.answer("k", with: .null)
        #expect(run.activeStates == ["c"])
    }

    @Test(arguments: ["", "a*", "a.*.b", ".*", "**"])
    func `a name that is no event's is an error`(name: String) {
        let text = #"{"initial": "a", "states": {"a": {"on": {"\#(name)": "a"}}}}"#
        #expect(
            problems(text) == [
                "1:42: error: '\(name)' is no event: '*' stands alone, or at the end after a '.'"
            ])
    }

    @Test func `equal names in different states, and dots, get ids`() throws {
        let found = try definition(
            """
            {"initial": "a", "states": {
              "a": {"initial": "x", "states": {"x": {"on": {"E": "#deep"}}}},
              "b": {"initial": "x", "states": {"x": {"id": "deep"}, "y.z": {}}}}}
            """)
        let inner = try #require(found["states"]?["b"]?["states"]?.object)
        #expect(inner.members.map(\.name) == ["x", "y_z"])
        #expect(inner["x"]?["id"] == "x_2")
        var run = try run(found)
        try run.send(ChartEvent("E"))
        #expect(run.activeStates == ["x_2"])
    }

    @Test func `exact events come before prefixes, and these before the wildcard`() throws {
        let found = try definition(
            """
            {"initial": "a", "states": {
              "a": {"on": {"*": "b", "x.*": "b", "x.y.*": "c", "x.y": "d"}},
              "b": {}, "c": {}, "d": {}}}
            """)
        let on = try #require(found["states"]?["a"]?["on"]?.object)
        #expect(on.members.map(\.name) == ["x.y", "x.y.*", "x.*", "*"])
    }

    @Test func `a transition to the source itself doesn't leave it`() throws {
        let text = """
            {"initial": "a", "context": {}, "states": {
              "a": {"initial": "b", "exit": {"type": "xstate.raise", "event": {"type": "left"}},
                "on": {"SELF": "a", "AGAIN": {"target": "a", "reenter": true}, "left": ".d"},
                "states": {"b": {"on": {"GO": "c", "STAY": {"target": "b"}}}, "c": {}, "d": {}}}}}
            """
        let found = try definition(text)
        let state = try #require(found["states"]?["a"])
        #expect(state["on"]?["SELF"] == "#b")
        #expect(state["states"]?["b"]?["on"]?["STAY"]?.description == "{}")
        var run = try run(found)
        for (event, expected) in [("GO", "c"), ("SELF", "b"), ("STAY", "b"), ("AGAIN", "d")] {
            try run.send(ChartEvent(event))
            #expect(run.activeStates == [expected], "\(event)")
        }
        let parallel = problems(
            """
            {"initial": "p", "states": {"p": {"type": "parallel", "on": {"E": "p", "F": ".q"},
              "states": {"q": {}, "r": {}}}}}
            """)
        #expect(parallel.count == 2)
        #expect(parallel.allSatisfy { $0.contains("error") })
    }

    @Test func `a transition between regions is a warning, for XState stays in the parallel state`()
        throws
    {
        let text = """
            {"initial": "p", "states": {"p": {"type": "parallel", "states": {
              "q": {"initial": "x", "on": {"AGAIN": {"target": ".x", "reenter": true}, "IN": ".y"},
                "states": {"x": {"on": {"OVER": "#m.p.r.z", "NEAR": "y"}}, "y": {}}},
              "r": {"initial": "w", "states": {"w": {}, "z": {}}}}}}, "id": "m"}
            """
        let message =
            "warning: here this transition leaves and enters the parallel state 'p' with all its "
            + "regions; in XState 'p' stays active"
        #expect(problems(text) == ["2:42: \(message)", "3:29: \(message)"])
        let root = text.replacing(#"{"initial": "p", "states": {"p": "#, with: "")
            .replacing(#"}}}}}}, "id": "m"}"#, with: #"}}}}, "id": "m"}"#)
            .replacing("#m.p.r.z", with: "#m.r.z")
        #expect(problems(root).isEmpty, "\(problems(root))")
    }

    @Test func `a delayed raise is a send to the machine itself`() throws {
        let found = try definition(
            """
            {"initial": "a", "states": {"a": {"entry": [
              {"type": "xstate.raise", "event": {"type": "Q", "x": "s"}, "delay": 1000, "id": "z"},
              {"type": "xstate.raise", "event": {"type": "N"}, "id": "y"}], "on": {"Q": "b"}},
              "b": {}}}
            """)
        #expect(
            found["states"]?["a"]?["entry"]?.description
                == #"[{"send":{"event":{"type":"Q","x":"'s'"},"delay":"1000ms","id":"z"}},"#
                + #"{"raise":"N"}]"#)
        var run = try run(found)
        #expect(run.activeStates == ["a"])
        try run.advance(milliseconds: 1_000)
        #expect(run.activeStates == ["b"])
        let named = problems(
            """
            {"initial": "a", "states": {"a": {"entry": [
              {"type": "xstate.raise", "event": {"type": "Q"}, "delay": "soon"},
              {"type": "xstate.raise", "event": {"type": "Q"}, "delay": 0.5, "to": 1}]}}}
            """)
        #expect(
            named == [
                "2:52: error: the delay 'soon' is code: write it in milliseconds",
                "3:52: error: a delay is whole milliseconds here",
                "3:66: error: 'to' of a raise has no counterpart",
            ])
    }

    @Test func `history and reenter with other values are errors, and faults have places`() throws {
        let found = problems(
            """
            {"initial": "a", "states": {"a": {"initial": "x", "states": {"x": {},
              "h": {"type": "history", "history": "parent"}, "i": {"history": "deep"}}},
              "b": {"history": "deep", "states": {"c": {}}, "on": {"E": {"reenter": "yes"}}}}}
            """)
        #expect(
            found == [
                "2:28: error: 'history' is shallow or deep",
                "3:9: error: 'history' is of a state of the type history",
                "3:62: error: 'reenter' is true or false",
            ])
        let short = try definition(
            #"{"initial":"a","states":{"a":{"initial":"x","#
                + #""states":{"x":{},"h":{"history":true}}}}}"#
        )
        #expect(
            short["states"]?["a"]?["states"]?["h"]?.description == #"{"type":"history"}"#)
        let result = imported(
            """
            {"initial": "c", "states": {"c": {},
              "a.b": {"type": "final", "on": {"E": "c"}}}}
            """)
        let place = try #require(result.place(of: "$.states.a_b.on"))
        #expect(place.line == 2)
        #expect(place.column == 28)
    }

    @Test func `named guards and actions fail until they are written`() throws {
        let text = """
            {"initial": "a", "states": {"a": {
              "entry": ["greet"],
              "on": {"E": {"guard": "isOpen", "target": "b"},
                     "F": {"target": "b", "actions": {"type": "save", "params": {"to": "x"}}}}},
              "b": {}}}
            """
        let found = try definition(text)
        #expect(found["guards"]?.description == #"{"isOpen":"1 / 0 == 0"}"#)
        #expect(
            problems(text).map { $0.prefix(while: { $0 != "'" }) } == [
                "2:13: warning: the action ", "3:16: warning: the guard ",
                "4:31: warning: the action ",
            ])
        #expect(
            found["states"]?["a"]?["on"]?["F"]?["actions"]?.description
                == #"[{"log":{"label":"action save","value":{"unwritten":"1 / 0","#
                + #""params":{"to":"'x'"}}}}]"#
        )
    }

    @Test func `an invocation names its handler`() throws {
        let found = try definition(
            """
            {"initial": "a", "states": {"a": {"invoke": {"src": "load", "id": "l",
              "input": {"n": 1, "s": "t"}, "onDone": "b", "onError": {"target": "b"}}}, "b": {}}}
            """)
        #expect(
            found["states"]?["a"]?["invoke"]?.description
                == #"{"src":"load","id":"l","input":{"n":1,"s":"'t'"},"onDone":"b","onError":"b"}"#)
    }

    @Test func `a printed definition is read like its configuration`() throws {
        let found = try definition(
            """
            {"id": "m", "key": "m", "order": 0, "type": "compound", "history": false,
             "initial": {"target": ["#m.a"], "source": "#m", "actions": [], "eventType": null},
             "entry": [], "exit": [], "invoke": [], "tags": [],
             "states": {"a": {"id": "m.a", "key": "a", "type": "atomic", "order": 1, "on": {"E": [
               {"target": ["#m.b"], "source": "#m.a", "actions": [], "eventType": "E",
                "reenter": false}]},
               "transitions": []}, "b": {"type": "final"}}}
            """)
        #expect(found["initial"] == "a")
        #expect(found["states"]?["a"]?["on"]?.description == #"{"E":"b"}"#)
    }

    @Test func `what has no counterpart has line and column`() {
        let found = problems(
            """
            {"initial": "a", "states": {"a": {
              "activities": [], "foo": 1, "meta": {},
              "after": {"soon": "a"},
              "on": {"E": [{"target": "gone"}, {"cond": "x"}], "xstate.init": "a"},
              "invoke": {"src": {}},
              "always": {"guard": {"type": "xstate.and"}}}}}
            """)
        #expect(
            found == [
                "2:3: error: 'activities' is of XState 4", "2:21: error: 'foo' is unknown here",
                "2:31: warning: 'meta' isn't imported",
                "3:13: error: the delay 'soon' is code: write it in milliseconds",
                "4:17: error: there is no state 'gone'", "4:37: error: 'cond' is of XState 4",
                "4:52: error: the event 'xstate.init' of XState has no counterpart",
                "5:3: error: JSON has only actors with a name: 'src' is missing, or no text",
                "6:14: error: JSON has lost the parts of the guard 'xstate.and'",
            ])
    }

    @Test func `broken and deep JSON is refused`() {
        #expect(problems("[1").first?.hasPrefix("1:3: error: this is no JSON") == true)
        #expect(problems("[]") == ["1:1: error: a machine of XState is an object with 'states'"])
        let deep = String(repeating: "[", count: 100_000)
        #expect(problems(deep).count == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `many problems and equal names take no time`() throws {
        let states = (0..<20_000).map { "\"s\($0)\":{\"on\":{\"E\":\"gone\"}}" }
        let missing = imported("{\"states\":{\(states.joined(separator: ","))}}").problems
        #expect(missing.count == 101)
        let equal = (0..<20_000).map { "\"s\($0)\":{\"states\":{\"x\":{}}}" }
        let json = try JSONValue(
            parsing: Array("{\"states\":{\(equal.joined(separator: ","))}}".utf8))
        let tree = XStateTree(try #require(json.object))
        #expect(tree.nodes.last?.name == "x_20000")
    }

    @Test func `places of values are found through texts and nesting`() {
        let text = #" { "a\"" : [1, {"b": "]}", "c": [ ] } , null ] , "é" : 2 } "#
        let bytes = Array(text.utf8)
        let places = JSONPlaces(bytes)
        func rest(_ path: JSONPlaces.Path) -> String {
            String(decoding: bytes[places.offset(of: path)...].prefix(4), as: UTF8.self)
        }
        #expect(rest([.member("a\""), .element(1), .member("c")]) == "\"c\":")
        #expect(rest([.member("a\""), .element(2)]) == "null")
        #expect(rest([.member("é")]).hasPrefix("\"é"))
        #expect(rest([.member("a\""), .element(9)]) == "\"a\\\"")
        #expect(rest([]) == "{ \"a")
    }

    @Test func `a tree knows ids and targets`() throws {
        let json = try JSONValue(
            parsing: Array(#"{"id":"m","states":{"a":{"states":{"b":{}}},"c":{"id":"d"}}}"#.utf8))
        let tree = XStateTree(try #require(json.object))
        #expect(tree.nodes.map(\.id) == ["m", "m.a", "m.a.b", "d"])
        #expect(tree.target("#m.a.b", from: 3) == 2)
        #expect(tree.target("a.b", from: 3) == 2)
        #expect(tree.target(".b", from: 1) == 2)
        #expect(tree.target("#d", from: 2) == 3)
        #expect(tree.target("c.b", from: 1) == nil)
    }
}
