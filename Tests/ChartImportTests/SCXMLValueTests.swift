import CEL
import OrderedJSON
import Statecharts
import Testing

@testable import ChartImport

/// What values of ECMAScript and data of events mean in imported documents.
struct SCXMLValueTests {
    private func imported(_ inner: String) -> ImportResult {
        let text = """
            <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
            \(inner)
            </scxml>
            """
        return SCXMLImporter.definition(Array(text.utf8), name: "m")
    }

    private static let ends = #"<final id="pass"/><final id="fail"/>"#

    private func problems(_ inner: String) -> [String] {
        imported(inner + Self.ends).problems.map(\.description)
    }

    private func guardText(_ inner: String) -> String? {
        imported(inner).definition?["states"]?["s"]?["always"]?["guard"]?.string
    }

    /// The active states of a document, with the states `pass` and `fail`, when nothing more
    /// happens.
    private func run(_ inner: String) throws -> [String] {
        let result = imported(inner + Self.ends)
        let definition = try #require(result.definition, "\(result.problems)")
        let start = try #require(CELTimestamp(seconds: 1_700_000_000))
        var run = ChartRun(try Chart(definition), machines: [:], start: start)
        try run.start()
        try run.advance(milliseconds: 60_000)
        return run.activeStates
    }

    @Test(
        arguments: [
            ("3", "n"), ("null", "!n"), ("0", "!n"), ("''", "!n"), ("[]", "n"), ("false", "!n"),
            ("{}", "n"), ("'0'", "n"), ("5", "(n || 7) == 5"), ("null", "(n || 7) === 7"),
            ("5", "(n &amp;&amp; 7) == 7"), ("3", "(n ? 1 : 2) == 1"),
            ("{a: 1}", "n.b === undefined"),
            ("{a: 1}", "n.b == null"), ("{a: 1}", "typeof n.b === 'undefined'"), ("{a: 1}", "!n.b"),
            ("{a: 1}", "n.b != 1"), ("[1]", "n[3] === undefined"), ("[5]", "0 in n"),
            ("-2.5", "Math.round(n) == -2"), ("5.5", "n % 2 == 1.5"), ("-7", "n % 3 == -1"),
            ("'abcdef'", "n.substring(3, 1) == 'bc'"), ("'abc'", "n.substring(1, 9) == 'bc'"),
            ("[1, 2]", "n.join() == '1,2'"), ("1", "n == '1'"), ("'n='", "n + 5 == 'n=5'"),
            ("null", "'x' + n == 'xnull'"), ("true", "n + 1 == 2"), ("'10'", "n &gt; 9"),
            ("{length: 7}", "n.length == 7"), ("[1, 2]", "n.indexOf(2) == 1"),
            ("'b'", "n[0] == 'b'"),
            ("'abc'", "n.charAt(9) == ''"), ("4", "'x' + n / 2 == 'x2'"),
        ] as [(String, String)])
    func `a condition means what it means in ECMAScript`(value: String, condition: String) throws {
        let text = """
            <datamodel><data id="n" expr="\(value)"/></datamodel>
            <state id="s"><transition cond="\(condition)" target="pass"/>
              <transition target="fail"/></state>
            """
        #expect(try run(text) == ["pass"])
        // The same with a value whose kind isn't known.
        let late = """
            <datamodel><data id="n"/><data id="o" expr="{v: \(value)}"/></datamodel>
            <state id="r"><onentry><assign location="n" expr="o.v"/></onentry>
              <transition target="s"/></state>
            <state id="s"><transition cond="\(condition)" target="pass"/>
              <transition target="fail"/></state>
            """
        let differs = ["n + ", "n.indexOf", "n[0]", "n.length", "n &gt;"]
        if !differs.contains(where: { condition.hasPrefix($0) }) {
            #expect(try run(late) == ["pass"])
        }
    }

    @Test func `the kind of a datum is known if all its values have it`() {
        func text(_ more: String) -> String {
            """
            <datamodel><data id="b" expr="true"/><data id="v" expr="{x: 1}"/></datamodel>
            <state id="s"><onentry><assign location="b" expr="\(more)"/></onentry>
              <transition cond="b" target="s"/></state>
            """
        }
        #expect(guardText(text("false")) == "context.b")
        #expect(guardText(text("v.x == 1")) == "context.b")
        #expect(guardText(text("v.x")) == "!(context.b in [null, false, 0, ''])")
        #expect(guardText(text("1")) == "!(context.b in [null, false, 0, ''])")
    }

    @Test(arguments: [
        ("done.work", "done.work", "_event.data.a == 1"),
        ("error.custom", "error.custom", "_event.data.a == 1"),
        ("error.custom", "error", "_event.data.a == 1"), ("e", "*", "_event.data.a == 1"),
        ("e", "done.state.s e", "_event.data.a == 1"), ("e", "e", "_event.data.b === undefined"),
        ("e", "e", "_event.data &amp;&amp; _event.data.a == 1"), ("e", "e", "!_event.sendid"),
    ])
    func `the data of an event are found, whatever its name`(
        event: String, descriptor: String, condition: String
    ) throws {
        let text = """
            <state id="s"><onentry>
                <send event="\(event)"><param name="a" expr="1"/></send></onentry>
              <transition event="\(descriptor)" cond="\(condition)" target="pass"/>
              <transition event="*" target="fail"/></state>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test(arguments: ["done.state.s e", "*", "done"])
    func `the data of a done event are found among others`(descriptor: String) throws {
        let text = """
            <state id="s" initial="a">
              <transition event="\(descriptor)" cond="_event.data.q == 1" target="t"/>
              <transition event="*" target="fail"/>
              <state id="a"><transition target="f"/></state>
              <final id="f"><donedata><param name="q" expr="1"/></donedata></final></state>
            <state id="t"><transition cond="_event.data.q == 1" target="pass"/>
              <transition target="fail"/></state>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test(arguments: [
        ("<param name='a' expr='1'/>", "v.a == 1"), ("", "v == null"),
        ("<content expr='o'/>", "v.a == 1"), ("<content>7</content>", "v == 7"),
        ("<content>'abc'</content>", "v == &quot;'abc'&quot;"),
        ("<content>&quot;abc&quot;</content>", "v == 'abc'"),
    ])
    func `the data as a whole are stored`(payload: String, condition: String) throws {
        let text = """
            <datamodel><data id="v"/><data id="o" expr="{a: 1}"/></datamodel>
            <state id="s"><onentry><send event="e">\(payload)</send></onentry>
              <transition event="e" target="t">
                <assign location="v" expr="_event.data"/></transition>
            </state>
            <state id="t"><transition cond="\(condition)" target="pass"/>
              <transition target="fail"/></state>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test func `a member that isn't there is no error where it is compared or stored`() throws {
        let text = """
            <datamodel><data id="v" expr="1"/></datamodel>
            <state id="s"><onentry><send event="e"/></onentry>
              <transition event="e" cond="_event.data.q == 1" target="fail"/>
              <transition event="e" target="t"><assign location="v" expr="_event.data.q"/>
              </transition></state>
            <state id="t"><onentry><send event="go"/></onentry>
              <transition event="error" target="fail"/>
              <transition event="go" cond="v == null" target="pass"/></state>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test func `an object as content has its members, and for others a warning`() throws {
        let text = """
            <datamodel><data id="o" expr="{a: 1}"/></datamodel>
            <state id="s"><onentry><send event="e"><content expr="o"/></send></onentry>
              <transition event="e" cond="_event.data.a === 1" target="pass"/></state>
            """
        #expect(try run(text) == ["pass"])
        #expect(problems(text).isEmpty)
        let sent = text.replacing("<send ", with: "<send target='x/y' ")
        #expect(problems(sent).first?.hasPrefix("3:62: warning: if this is an object") == true)
    }

    @Test func `a processor's address in a variable is known when it is used`() throws {
        let text = """
            <datamodel><data id="t" expr="27"/></datamodel>
            <state id="s"><onentry>
              <assign location="t" expr="'http://www.w3.org/TR/scxml/#SCXMLEventProcessor'"/>
              <send typeexpr="t" event="e"/></onentry>
              <transition event="e" cond="_event.origintype == t" target="pass"/>
              <transition event="*" target="fail"/></state>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test func `a raised event of a state has its new name`() throws {
        let text = """
            <state id="s"><onentry><raise event="done.state.a.b"/></onentry>
              <transition event="done.state.a.b" target="pass"/>
              <transition event="*" target="fail"/></state><state id="a.b"/>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test func `a list without a length is empty, and 'var' keeps a value`() throws {
        let text = """
            <datamodel><data id="v" expr="[1]"/><data id="w" expr="2"/></datamodel>
            <state id="s"><onentry><script>v.length = 0; var w</script></onentry>
              <transition cond="v.length == 0 &amp;&amp; w == 2" target="pass"/>
              <transition target="fail"/></state>
            """
        #expect(try run(text) == ["pass"])
    }

    @Test(arguments: [
        ("{ let v = 7; }", "3:38: error: 'v' hides another 'v'"),
        ("v.length = 2", "3:33: error: 'length' can't be assigned"),
        ("w = v; w.n = 5", "3:36: warning: a list or object is copied here"),
        ("v = (w &amp; 1)", "3:39: error: '&' can't be said"),
    ])
    func `what a script can't say is named`(script: String, start: String) {
        let found = problems(
            """
            <datamodel><data id="v" expr="[1]"/><data id="w"/></datamodel>
            <state id="s"><onentry><script>\(script)</script></onentry></state>
            """)
        #expect(found.first?.hasPrefix(start) == true, "\(found)")
    }

    @Test func `a note that holds everywhere is given once`() {
        let found = problems(
            """
            <datamodel><data id="v"/></datamodel>
            <state id="s"><onentry><assign location="v" expr="_event.data.a"/></onentry>
              <transition event="a" cond="v == 1" target="s"/>
              <transition event="b" cond="v == 2" target="s"/></state>
            """)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("4:33: warning: '==' compares") == true, "\(found)")
    }

    @Test func `a fault of the definition has the place of its state`() throws {
        let result = imported(#"<state id="a.b"/><state id="c"/>"#)
        let found = try #require(result.place(of: "$.states.c.on[0]"))
        #expect(found.line == 2)
        #expect(found.column == 18)
        #expect(JSONPlaces.path(#"$.a["b c"][2].d"#).count == 4)
    }
}
