import CEL
import OrderedJSON
import Statecharts
import Testing

@testable import ChartImport

struct SCXMLImporterTests {
    private func document(_ inner: String, _ attributes: String = "") -> [UInt8] {
        Array(
            """
            <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" \(attributes)>
            \(inner)
            </scxml>
            """.utf8)
    }

    private func imported(
        _ inner: String, _ attributes: String = "",
        read: @escaping SCXMLImporter.Reader = { _ in nil }
    ) -> ImportResult {
        SCXMLImporter.definition(document(inner, attributes), name: "m", read: read)
    }

    /// The places and messages of problems, without the line of the root.
    private func problems(_ inner: String, _ attributes: String = "") -> [String] {
        imported(inner, attributes).problems.map(\.description)
    }

    private func definition(_ inner: String, _ attributes: String = "") throws -> JSONValue {
        let result = imported(inner, attributes)
        let definition = try #require(result.definition, "\(result.problems)")
        _ = try Chart(definition)
        return definition
    }

    /// The active states of an imported document after events.
    private func run(_ inner: String, _ attributes: String = "", events: [String]) throws
        -> [String]
    {
        let start = try #require(CELTimestamp(seconds: 1_700_000_000))
        var run = ChartRun(try Chart(definition(inner, attributes)), machines: [:], start: start)
        try run.start()
        for event in events { try run.send(ChartEvent(event)) }
        try run.advance(milliseconds: 60_000)
        return run.activeStates
    }

    // MARK: States and transitions

    @Test func `states, targets and descriptors have our words`() throws {
        let found = try definition(
            """
            <state id="a.1"><transition event="go" target="b"/>
              <transition event="x y.*" cond="true" target="a.1 "/></state>
            <state id="b" initial="c"><state id="c"><transition target="d"/></state>
              <state id="d"><transition event="done.state.b" target="a.1"/></state></state>
            """)
        let states = try #require(found["states"])
        #expect(found["initial"] == "a_1")
        #expect(
            states["a_1"]?["on"]?.description
                == #"[{"event":"go.*","target":"b"},"#
                + #"{"event":["x.*","y.*"],"guard":"true","target":"a_1"}]"#
        )
        #expect(states["b"]?["states"]?["c"]?.description == #"{"always":"d"}"#)
        #expect(
            states["b"]?["states"]?["d"]?["on"]?.description == ##"{"done.state.b":"#a_1"}"##)
    }

    @Test func `a descriptor without a name takes all events, and '*' within one is an error`()
        throws
    {
        let text = #"<state id="s"><transition event=".*" target="t"/></state><state id="t"/>"#
        #expect(try run(text, events: ["any.thing"]) == ["t"])
        #expect(
            problems(text.replacing(".*", with: "e a.*.b")).first?.hasSuffix(
                "error: 'a.*.b': '*' stands alone, or at the end after a '.'") == true)
    }

    @Test func `a done event of a prefix takes those of the states below`() throws {
        let found = try definition(
            """
            <state id="a"><transition event="done.state.b" target="a"/></state>
            <state id="b"/><state id="b.c"/>
            """)
        #expect(
            found["states"]?["a"]?["on"]?.description
                == #"[{"event":["done.state.b","done.state.b_c"],"target":"a"}]"#)
    }

    @Test func `an external transition reenters only where that makes a difference`() throws {
        let found = try definition(
            """
            <state id="p"><transition event="in" type="internal" target="b"/>
              <transition event="ex" target="b"/><transition event="self" target="p"/>
              <state id="a"/><state id="b"/></state>
            """)
        let on = try #require(found["states"]?["p"]?["on"])
        #expect(
            on.description == ##"{"in.*":"#b","ex.*":{"target":"#b","reenter":true},"self.*":"p"}"##
        )
    }

    @Test func `ids that would be equal, missing targets and repeated ids are reported`() {
        let found = problems(
            """
            <state id="a.b"><transition event="x" target="gone"/></state>
            <state id="a_b"/><state id="c"/><state id="c"/>
            """)
        #expect(
            found == [
                "2:39: error: there is no state 'gone'",
                "2:39: error: 'target' names no state",
                "3:1: error: 'a_b' and 'a.b' would both be named 'a_b'",
                "3:33: error: there is another state 'c'",
            ])
    }

    @Test func `a document knows its states and their data`() throws {
        let bytes = document(
            "<state id='a.b'><state/></state><datamodel><data id='d'/></datamodel>")
        let root: XMLElement = try XMLReader.read(bytes)
        var problems = ProblemCollector(LineTable(bytes))
        let document = SCXMLDocument(root, &problems)
        #expect(document.names == ["a.b": "a_b"])
        #expect(document.data == ["d"])
        let outer = try #require(document.offsets["a.b"])
        let inner = try #require(document.states.keys.first { $0 != outer })
        #expect(document.isDescendant(inner, of: outer))
        #expect(!document.isDescendant(outer, of: inner))
        #expect(document.states[outer]?.isCompound == true)
    }

    @Test func `states without ids get new ones`() throws {
        let found = try definition("<state id=\"state1\"/><state/><final/>")
        #expect(found["states"]?.object?.members.map(\.name) == ["state1", "state2", "final3"])
    }

    @Test func `history and initial transitions keep their actions`() throws {
        let found = try definition(
            """
            <state id="p"><initial><transition target="h"><log expr="1"/></transition></initial>
              <history id="h" type="deep"><transition target="a"><raise event="r"/></transition>
              </history><state id="a"/></state>
            """)
        let state = try #require(found["states"]?["p"])
        #expect(
            state["initial"]?.description == #"{"target":"h","actions":[{"log":{"value":"1"}}]}"#)
        #expect(
            state["states"]?["h"]?.description
                == #"{"type":"history","history":"deep","target":"a","actions":[{"raise":"r"}]}"#)
    }

    // MARK: What is unknown

    @Test func `unknown elements, attributes and text are reported with their places`() {
        let found = problems(
            """
            <state id="a" foo="1"><onentry><bar/><log expr="1"/>x</onentry></state>
            <state xmlns:e="urn:e" id="b" e:color="red"><e:shape/></state>
            """)
        #expect(
            found == [
                "2:15: error: 'foo' has no meaning in <state>",
                "2:32: error: <bar> has no meaning in <onentry>",
                "2:53: error: <onentry> has no text",
                "3:31: warning: the attribute 'color' of urn:e isn't imported",
                "3:45: warning: <shape> of urn:e isn't imported",
            ])
    }

    @Test func `an expression that can't be said has line and column`() {
        let found = imported(
            "<state id='a'>\n  <transition cond=\"1 &lt; 2 &amp;&amp; f(3)\" target='a'/></state>"
        )
        #expect(found.definition == nil)
        #expect(
            found.problems.map(\.description) == [
                "3:42: error: the function 'f' has no counterpart in CEL"
            ])
    }

    @Test func `what isn't SCXML is refused`() {
        func first(_ text: String) -> String? {
            SCXMLImporter.definition(Array(text.utf8), name: "m").problems.first?.description
        }
        #expect(first("{}") == "1:1: error: an element is expected here")
        #expect(first("<html/>") == "1:1: error: the root element isn't 'scxml'")
        #expect(first("<scxml><state/></scxml>")?.contains("warning: the namespace") == true)
        #expect(problems("<state/>", "datamodel=\"xpath\"").first?.contains("xpath") == true)
    }

    @Test func `many problems are counted`() {
        let found: [ImportProblem] = imported(String(repeating: "<x/>", count: 150)).problems
        #expect(found.count == 101)
        #expect(found.last?.message == "50 more problems aren't listed")
    }

    // MARK: Data

    @Test func `data become the context, and expressions are computed`() throws {
        let found = try definition(
            """
            <datamodel><data id="a" expr="[1, {x: 'y'}]"/><data id="b"/>
            <data id="c" expr="a[0] + 1"/>
            <data id="d"> some   text </data><data id="e">{"f": 1}</data></datamodel>
            <state id="s"><datamodel><data id="g" expr="'h'"/></datamodel></state>
            """)
        #expect(
            found["context"]?.description
                == #"{"a":[1,{"x":"y"}],"b":null,"c":{"expr":"context.a[0] + 1"},"#
                + #""d":"some text","e":{"f":1},"g":"h"}"#
        )
    }

    @Test func `files are read through the given reader only`() throws {
        let text =
            "<datamodel><data id='a' src='file:a.json'/></datamodel><script src='b.js'/><state/>"
        let found = imported(text) {
            ["a.json": Array("[1]".utf8), "b.js": Array("a = 2".utf8)][$0]
        }
        #expect(found.definition?["context"]?.description == #"{"a":[1]}"#)
        #expect(found.definition?["entry"]?.description == #"[{"assign":{"a":2}}]"#)
        #expect(imported(text).problems.count == 2)
    }

    @Test func `a script's new names become members of the context`() throws {
        let found = try definition("<script>var n = 1; m = n</script><state id=\"s\"/>")
        #expect(found["context"]?.description == #"{"n":null,"m":null}"#)
    }

    @Test func `late data get their values when their state is first entered`() throws {
        let text = """
            <state id="s0"><transition cond="typeof v === 'undefined'" target="s1"/>
              <transition target="fail"/></state>
            <state id="s1"><datamodel><data id="v" expr="1"/></datamodel>
              <transition event="again" cond="v === 1" target="s2"><assign location="v" expr="2"/>
              </transition></state>
            <state id="s2"><transition target="s1"/><onexit/></state>
            <final id="fail"/>
            """
        #expect(try run(text, "binding=\"late\"", events: ["again"]) == ["s1"])
        #expect(try run(text, "binding=\"late\"", events: ["again", "again"]) == ["s1"])
        #expect(try run(text, events: []) == ["fail"])
    }

    // MARK: Actions

    @Test func `branches, loops and sends are run as they are written`() throws {
        let text = """
            <datamodel><data id="sum" expr="0"/><data id="list" expr="[1, 2, 3]"/></datamodel>
            <state id="s"><onentry>
              <foreach array="list" item="x" index="i">
                <if cond="x === 2"><assign location="sum" expr="sum + 10"/>
                <elseif cond="i === 0"/><assign location="sum" expr="sum + 100"/>
                <else/><assign location="sum" expr="sum + x"/></if></foreach>
              <send event="late" delay="2s" id="l"/><send event="soon" delayexpr="'1' + 's'">
                <param name="n" expr="sum"/></send><cancel sendid="l"/></onentry>
              <transition event="late" target="fail"/>
              <transition event="soon" cond="_event.data.n === 113" target="pass"/></state>
            <final id="pass"/><final id="fail"/>
            """
        #expect(try run(text, events: []) == ["pass"])
    }

    @Test func `a machine inside is invoked, and its data come back`() throws {
        let text = """
            <datamodel><data id="got" expr="0"/></datamodel>
            <state id="s"><invoke id="kid" type="http://www.w3.org/TR/scxml/">
              <param name="n" expr="20"/>
              <content><scxml version="1.0" initial="f"><datamodel><data id="n" expr="0"/>
                </datamodel>
                <final id="f"><onentry><send target="#_parent" event="up">
                  <param name="v" expr="n + 1"/></send></onentry>
                  <donedata><param name="r" expr="n"/></donedata></final></scxml></content>
              <finalize><if cond="_event.name === 'up'">
                <assign location="got" expr="_event.data.v"/></if></finalize></invoke>
              <transition event="done.invoke.kid" cond="got === 21 &amp;&amp; _event.data.r === 20"
                target="pass"/></state>
            <final id="pass"/>
            """
        #expect(try run(text, events: []) == ["pass"])
    }

    @Test func `types and targets of sends are ours`() throws {
        let found = try definition(
            """
            <state id="s"><onentry><send event="a" target="#_internal"/>
            <send event="b" target="#_kid" type="scxml" idlocation="i"/>
            <send eventexpr="'c'" namelist="i"/><send event="d"><content expr="{k: i}"/></send>
            <send event="e"><content>x  y</content></send></onentry></state>
            <datamodel><data id="i"/></datamodel>
            """)
        #expect(
            found["states"]?["s"]?["entry"]?.array?.map(\.description) == [
                #"{"send":{"event":"a","to":"internal"}}"#,
                #"{"send":{"event":"b","to":"child:kid","id":{"assign":"i"}}}"#,
                #"{"send":{"event":{"type":"c","i":"context.i"}}}"#,
                #"{"send":{"event":{"type":"d","k":"context.i"}}}"#,
                #"{"send":{"event":{"type":"e","value":"'x y'"}}}"#,
            ])
    }

    @Test(arguments: [
        ("'#_internal'", "internal"), ("'#_' + 'kid'", "echo"), ("'#_scxml_' + _sessionid", "own"),
        ("_sessionid", "own"), ("'#_parent'", "error.communication"),
        ("'#_scxml_nobody'", "error.communication"), ("'!bad'", "error.execution"),
    ])
    func `a target that is computed has the words of SCXML`(target: String, end: String) throws {
        let text = """
            <datamodel><data id="to" expr="\(target)"/></datamodel>
            <state id="s"><onentry><send event="go"/></onentry>
              <invoke id="kid"><content><scxml version="1.0"><state id="k">
                <transition event="e" target="f"/></state><final id="f"/></scxml></content></invoke>
              <transition event="go"><send event="e" targetexpr="to"/></transition>
              <transition event="e" cond="_event.type == 'internal'" target="internal"/>
              <transition event="e" target="own"/>
              <transition event="done.invoke.kid" target="echo"/>
              <transition event="error.execution" target="error_execution"/>
              <transition event="error.communication" target="error_communication"/></state>
            <state id="internal"/><state id="own"/><state id="echo"/>
            <state id="error_execution"/><state id="error_communication"/>
            """
        let expected = end.replacing(".", with: "_")
        #expect(try run(text, events: []) == [expected])
    }

    @Test func `every event has all members, and a session that nobody has is unknown`() throws {
        let text = """
            <state id="s"><onentry><send event="e" target="#_scxml_nobody"/></onentry>
              <transition event="error.communication" target="pass"
                cond="'data' in _event &amp;&amp; 'sendid' in _event &amp;&amp; !('x' in _event)"/>
              <transition event="*" target="fail"/></state>
            <final id="pass"/><final id="fail"/>
            """
        #expect(try run(text, events: []) == ["pass"])
    }

    @Test func `the data of a done event without an output are undefined`() throws {
        let text = """
            <state id="s" initial="a"><state id="a"><transition target="f"/></state>
              <final id="f"><donedata><content expr="return"/></donedata></final>
              <transition event="done.state.s" cond="typeof _event.data === 'undefined'"
                target="pass"/><transition event="done.state.s" target="fail"/></state>
            <final id="pass"/><final id="fail"/>
            """
        #expect(try run(text, events: []) == ["pass"])
        let other = text.replacing("return", with: "5")
        #expect(try run(other, events: []) == ["fail"])
    }

    @Test func `a broken expression fails when it is evaluated, and a log's value may be text`()
        throws
    {
        let text = """
            <datamodel><data id="o"/></datamodel>
            <state id="s"><onentry><log expr="JSON.stringify(_event)"/>
            <assign location="o" expr="{p1: 'v1'"/></onentry>
            <transition event="error.execution" target="pass"/>
            <transition event="*" target="fail"/></state>
            <final id="pass"/><final id="fail"/>
            """
        #expect(try run(text, events: []) == ["pass"])
        #expect(problems(text).map { $0.prefix(14) } == ["3:39: warning:", "4:37: warning:"])
    }
}
