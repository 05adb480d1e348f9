import OrderedJSON
import Statecharts
import Testing

@testable import ChartImport

/// Damaged documents: whatever they are, an import ends with a definition or with problems.
struct MutationTests {
    private static let scxml = """
        <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="s" binding="late">
        <datamodel><data id="x" expr="[1, {a: 'b'}]"/></datamodel><script>var y = x[0]; y++</script>
        <state id="s"><datamodel><data id="z">1</data></datamodel><onentry>
        <if cond="typeof x == 'object' &amp;&amp; In('s')"><log expr="'n' + y"/><else/>
        <foreach array="x" item="i" index="j">
        <assign location="x[0]" expr="i ? 1 : j / 2"/></foreach>
        </if><send event="e" delay="1s" namelist="x"><param name="p" expr="Math.pow(y, 3)"/></send>
        </onentry><transition event="e done.state.p" target="p" type="internal"/>
        <invoke id="k"><content><scxml version="1.0"><final id="f"/></scxml></content></invoke>
        </state>
        <parallel id="p"><state id="q.1" initial="r"><history id="h" type="deep">
        <transition target="r"/></history><state id="r"/></state><state id="t"/></parallel></scxml>
        """

    private static let xstate = """
        {"id": "m", "initial": "a", "context": {"n": 1}, "states": {"a": {"entry": ["x"],
         "after": {"1000": "b"}, "on": {"*": "b", "E": [{"target": "#m.b", "guard": "g"}]},
         "invoke": {"src": "load", "onDone": {"target": "b", "reenter": true}}},
         "b": {"type": "parallel", "states": {"c": {}, "d": {"type": "history"}}}}}
        """

    /// A small generator with a seed, so that a failure can be repeated.
    private struct Random {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
    }

    private static let marks = Array("<>&'\"{}[]().;=+#!0a \u{7f}".utf8)

    /// Bytes with some replaced, removed, or copied from elsewhere.
    private func damaged(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(4) {
            let place = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes[place] = Self.marks[random.below(Self.marks.count)]
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(8)))
            default:
                let start = random.below(bytes.count)
                let copied = Array(bytes[start..<min(bytes.count, start + random.below(40))])
                bytes.insert(contentsOf: copied, at: place)
            }
        }
        return bytes
    }

    private func check(_ result: ImportResult) {
        guard let definition = result.definition else {
            #expect(result.problems.contains { $0.severity == .error })
            return
        }
        #expect(!result.problems.contains { $0.severity == .error })
        _ = try? Chart(definition)
        #expect(
            (try? JSONValue(parsing: Array(ReadableJSON.text(definition).utf8))) == definition)
    }

    @Test func `the documents themselves are imported`() throws {
        let scxml = SCXMLImporter.definition(Array(Self.scxml.utf8), name: "m")
        _ = try Chart(try #require(scxml.definition, "\(scxml.problems)"))
        let xstate = XStateImporter.definition(Array(Self.xstate.utf8), name: "m")
        #expect(xstate.definition != nil, "\(xstate.problems)")
    }

    @Test(arguments: 1...8) func `damaged documents end in a result`(seed: UInt64) {
        var random = Random(state: seed)
        let scxml = Array(Self.scxml.utf8)
        let xstate = Array(Self.xstate.utf8)
        for _ in 0..<250 {
            check(SCXMLImporter.definition(damaged(scxml, &random), name: "m"))
            check(XStateImporter.definition(damaged(xstate, &random), name: "m"))
        }
    }
}
