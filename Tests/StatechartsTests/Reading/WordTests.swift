import OrderedJSON
import Testing

@testable import Statecharts

/// Small parts of reading: delays, names, paths, locations, recipients.
struct WordTests {
    @Test(arguments: [
        ("30s", 30_000), ("500ms", 500), ("30m", 1_800_000), ("1h30m", 5_400_000), ("1.5s", 1_500),
        (".5s", 500), ("2d", 172_800_000), ("1w", 604_800_000), ("PT30S", 30_000),
        ("P7D", 604_800_000), ("P1DT1H", 90_000_000), ("PT0.5S", 500), ("1000", 1_000), ("0", 0),
    ])
    func `a delay is a text with units, ISO 8601, or milliseconds`(text: String, expected: Int64) {
        #expect(ChartDelay.milliseconds(text) == expected)
    }

    @Test(arguments: [
        "", "s", "1x", "P", "PT", "P1M", "P1Y", "-1s", "1.2.3s", "1 s", "200000w", "1s1",
    ])
    func `other texts are no delays`(text: String) {
        #expect(ChartDelay.milliseconds(text) == nil)
    }

    @Test func `the nearest known name is suggested`() {
        #expect(NearName.find("stats", among: ["on", "states"]) == "states")
        #expect(NearName.find("ON", among: ["on", "states"]) == "on")
        #expect(NearName.find("zebra", among: ["on", "states"]) == nil)
        #expect(NearName.find("c", among: ["a", "b"]) == nil)
        #expect(NearName.find("A", among: ["a", "b"]) == "a")
        #expect(NearName.hint("entri", among: ["entry"]) == "; did you mean 'entry'?")
    }

    @Test func `names that differ from step to step are found as words`() {
        #expect(UnsteadyName.names(in: "now > context.due && rand < 0.5") == ["now", "rand"])
        #expect(UnsteadyName.names(in: "context.now + known + event.rand").isEmpty)
        #expect(UnsteadyName.names(in: "self.id + self.address + self.machine").isEmpty)
        #expect(UnsteadyName.names(in: "self.id == 'a' && self.v > 3") == ["self.v"])
        #expect(UnsteadyName.names(in: "self['v']") == ["self.v"])
    }

    @Test func `a path names identifiers after a point, and others in brackets`() {
        let path = JSONPath().member("states").member("a b").element(3)
        #expect(path.text == #"$.states["a b"][3]"#)
    }

    @Test func `a location has members and indexes`() {
        let location = Location(#"cart.items[0]["a b"].sku"#) { $0 == "cart" }
        #expect(location.fault == nil)
        #expect(location.steps.count == 4)
        for text in ["", ".a", "cart.", "cart[", "cart[x]", "cart[-1]", "cart['a", "cart..a"] {
            #expect(Location(text) { $0 == "cart" }.fault != nil, "\(text)")
        }
    }

    @Test func `a recipient is a word, a child or an address`() {
        #expect(Recipient("self") == .own)
        #expect(Recipient("internal") == .internal)
        #expect(Recipient("parent") == .parent)
        #expect(Recipient("child:ship") == .child("ship"))
        #expect(Recipient("order/7") == .address("order/7"))
        for text in ["", "child:", "order", "order/", "/7", "1/2", "a/b/c", "http://a.example"] {
            #expect(Recipient(text) == nil, "\(text)")
        }
        #expect(ChartAddress.isMachineName("a.b-c_1"))
        #expect(!ChartAddress.isMachineName(String(repeating: "a", count: 65)))
    }

    @Test func `calls of in are found by their constant name`() {
        #expect(InCall.names(in: "in('a') && !in(\"b\")").constants == ["a", "b"])
        #expect(InCall.names(in: "min('a') + x.in('b')").constants == [])
        #expect(InCall.names(in: "in(context.s)").isCalled)
        #expect(!InCall.names(in: "context.n > 0").isCalled)
    }

    @Test func `a first pass finds the names that loops make`() throws {
        let scan = try #require(
            DefinitionScan([
                "states": ["a": ["entry": ["foreach": ["item": "x", "index": "i"]]]]
            ]))
        #expect(scan.loopNames == ["x", "i"])
    }
}
