import CEL
import OrderedJSON
import Testing
import Transducers

@testable import Statecharts

/// What a server sees of a chart, without a server.
@Suite struct ChartMachineTests {
    private let context = StepContext(
        limits: StepLimits(
            immediateEvents: 1_000, outputs: 100, outputBytes: 1 << 20, stateBytes: 1 << 20),
        time: 1_700_000_000_123, version: 4)

    private func machine(_ text: String) throws -> any HostedMachine {
        let json = try JSONValue(parsing: Array(text.utf8))
        return try #require(ChartDefinitions(Chart(json), json: json).all.first).machine
    }

    private func event(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func `an event in a client's line is the one that its value is`() throws {
        let machine = try machine(#"{"id":"m","initial":"a","states":{"a":{}}}"#)
        let texts = [
            #""X""#, #"{"type":"X"}"#, #"{"n":1,"type":"X","x":[1,{"y":null}],"z":-0.5}"#,
            #"{"type":"a\u0062","b\u0063":"\n","":true,"o":{"type":"Y","$meta":1}}"#, "7", "{}",
            #"{"type":7}"#, #"{"type":"*"}"#, #"{"type":""}"#, #"{"type":"done.state.a"}"#,
            #"{"type":"$x"}"#, "[]", "null",
        ]
        func outcome(_ event: () throws -> any HostedEvent) -> String {
            do { return text(try event().canonicalText()) } catch { return "\(error)" }
        }
        for text in texts {
            let ofLine = outcome {
                let document = try JSONDocument(parsing: Array(text.utf8))
                return try machine.decodeEvent(document, at: document.root)
            }
            let ofValue = outcome { try machine.decodeEvent(event(text)) }
            #expect(ofLine == ofValue, "\(text)")
        }
    }

    @Test func `a copy of an event is the same event in memory of its own`() throws {
        let machine = try machine(#"{"id":"m","initial":"a","states":{"a":{}}}"#)
        for text in [#""X""#, #"{"n":1,"type":"X","x":[1,{"y":null}],"z":-0.5}"#] {
            let event = try machine.decodeEvent(event(text))
            let copy = event.copy()
            #expect(copy !== event)
            #expect(try copy.canonicalText() == event.canonicalText())
            #expect(copy.journalText == event.journalText)
        }
        let own = HostedChartEvent(ChartEvent("done.state.a", kind: .platform))
        #expect(own.journalText != nil)
        #expect(own.copy().journalText == own.journalText)
    }

    @Test func `expressions see the instance, the time of the step and a number that stays`() throws
    {
        let machine = try machine(
            """
            {"id":"m","initial":"a","context":{"seen":null,"drawn":0},"states":{"a":{"on":{"X":
            {"assign":{"seen":"[self.address, string(self.v), string(now)]","drawn":"rand"}}}}}}
            """)
        var texts: [String] = []
        for number in [7, 7, 8] as [Int64] {
            let identity = InstanceIdentity(name: "m/i", number: number, parent: nil)
            var instance = try machine.makeInstance(identity, input: nil, in: context)
            var step = StepBuffer()
            try instance.apply(machine.decodeEvent(event("\"X\"")), in: context, into: &step)
            texts.append(text(step.state.bytes))
        }
        #expect(texts[0].contains(#"["m/i","4","2023-11-14T22:13:20.123Z"]"#))
        #expect(texts[0] == texts[1] && texts[0] != texts[2])
    }

    @Test func `a restored instance continues as the one before`() throws {
        let machine = try machine(
            """
            {"id":"m","initial":"a","context":{"n":0},"states":{"a":{"defer":"Y","on":{"X":"b"}},
            "b":{"on":{"Y":{"assign":{"n":"context.n + event.by"}}}}}}
            """)
        var instance = try machine.makeInstance()
        for sent in [#"{"type":"Y","by":2}"#, "\"X\"", #"{"type":"Y","by":3}"#] {
            var step = StepBuffer()
            try instance.apply(machine.decodeEvent(event(sent)), in: context, into: &step)
            instance = try machine.restoreInstance(state: step.state.bytes)
        }
        var step = StepBuffer()
        try instance.describeInitial(into: &step)
        #expect(text(step.state.bytes) == #"{"value":"b","context":{"n":5}}"#)
    }

    @Test(arguments: [
        "17", "[]", "{}", #"{"type":7}"#, #""""#, #"{"type":"done.invoke.a"}"#,
        #"{"type":"error.execution"}"#, #"{"type":"$migrate"}"#,
        #"{"type":"X","$meta":{"kind":"external"}}"#,
    ])
    func `what nobody may send is refused`(sent: String) throws {
        let machine = try machine(#"{"id":"m","initial":"a","states":{"a":{}}}"#)
        let document = try JSONDocument(parsing: Array(#"{"event":\#(sent)}"#.utf8))
        let node = try #require(document.member("event", of: document.root))
        let error = #expect(throws: EventError.self) { try machine.decodeEvent(document, at: node) }
        #expect(error?.path.hasPrefix("$.event") == true)
        let origin = EventOrigin(
            sender: "other/o", key: HostedKey(id: nil), child: nil, isParent: false)
        #expect(throws: EventError.self) {
            try machine.decodeEvent(event(sent), from: origin)
        }
    }

    @Test func `an event of a machine knows its sender, and a parent hands events on unchanged`()
        throws
    {
        let machine = try machine(#"{"id":"m","initial":"a","states":{"a":{}}}"#)
        let origin = EventOrigin(
            sender: "kid/k", key: HostedKey(id: "send/s1"), child: HostedKey(id: "invoke/i/d/3"),
            isParent: false)
        let sent = try machine.decodeEvent(event(#"{"type":"X","n":1}"#), from: origin)
        let stored = try #require(sent.journalText)
        #expect(
            text(stored)
                == #"{"type":"X","n":1,"$meta":{"kind":"external","origin":"kid/k","#
                + #""via":"machine","send":"s1","invoke":"i/d","serial":3}}"#)
        let again = try machine.decodeEvent(JSONValue(parsing: stored))
        #expect(again.journalText == stored)
        let parent = EventOrigin(
            sender: "boss/b", key: HostedKey(id: nil), child: nil, isParent: true)
        let handedOn = try machine.decodeEvent(JSONValue(parsing: stored), from: parent)
        #expect(handedOn.journalText == stored)
        // What is the server's doesn't become an event of another instance.
        for meta in [
            #""X","$meta":{"kind":"platform"}"#, #""X","$meta":{"kind":"internal"}"#,
            #""done.invoke.x","$meta":{"kind":"external"}"#, #""X","$meta":{}"#,
            #""$migrate","$meta":{"kind":"external"}"#,
            #""after","$meta":{"kind":"platform","state":"a","timer":0}"#,
        ] {
            #expect(throws: EventError.self) {
                try machine.decodeEvent(event(#"{"type":\#(meta)}"#), from: parent)
            }
        }
        // One of a client has nothing more than what was sent.
        #expect(try machine.decodeEvent(event("\"X\"")).journalText == nil)
        #expect(try text(machine.decodeEvent(event("\"X\"")).canonicalText()) == #"{"type":"X"}"#)
    }

    @Test func `only a timer that this version has is an event`() throws {
        let machine = try machine(
            #"{"id":"m","initial":"a","states":{"a":{"after":{"1s":"b"}},"b":{}}}"#)
        func timer(_ state: String, _ position: Int) throws -> any HostedEvent {
            try machine.decodeEvent(
                event(
                    #"{"type":"after","$meta":{"kind":"platform","state":"\#(state)","#
                        + #""timer":\#(position)}}"#))
        }
        #expect(try timer("a", 0).journalText != nil)
        for (state, position) in [("a", 1), ("b", 0), ("nowhere", 0), ("a", -1)] {
            #expect(throws: EventError.self) { try timer(state, position) }
        }
    }

    @Test func `a computed definition is a part of the state, and a broken one a failure`() throws {
        let json = try event(
            """
            {"id":"m","initial":"a","states":{"a":{"invoke":{"src":{"machine":
            {"expr":"event.d"}}}}}}
            """)
        let all = try ChartDefinitions(Chart(json), json: json).all
        #expect(all.map(\.name) == ["m", "m.computed"])
        let computed = try #require(all.last?.machine as? ComputedChartMachine)
        let input = try event(
            #"{"definition":{"initial":"x","context":{"n":0},"states":{"x":{}}},"input":{"n":4}}"#)
        let own = InstanceIdentity(name: "m.computed/k", number: 1, parent: "m/boss")
        for parent in [nil, "mm/boss", "m.computed/k"] {
            let other = InstanceIdentity(name: "m.computed/k", number: 1, parent: parent)
            #expect(throws: StepFailure.self) {
                try computed.makeInstance(other, input: input, in: context)
            }
        }
        #expect(computed.soleStarter == "m" && all.first?.machine.soleStarter == nil)
        let instance = try computed.makeInstance(own, input: input, in: context)
        var step = StepBuffer()
        try instance.describeInitial(into: &step)
        let state = text(step.state.bytes)
        #expect(state.hasPrefix(#"{"value":"x","context":{"n":4},"definition":{"initial":"x""#))
        var again = StepBuffer()
        try computed.restoreInstance(state: step.state.bytes).describeInitial(into: &again)
        #expect(text(again.state.bytes) == state)
        for broken in [
            #"{"definition":7}"#, #"{"definition":{"initial":"x","states":{}}}"#, "{}",
            """
            {"definition":{"initial":"x","states":{"x":{"invoke":{"src":{"machine":{"initial":"y",
            "states":{"y":{}}}}}}}}}
            """,
        ] {
            #expect(throws: StepFailure.self) {
                try computed.makeInstance(own, input: event(broken), in: context)
            }
        }
        #expect(throws: StepFailure.self) {
            try computed.restoreInstance(state: Array(#"{"value":"x","context":{}}"#.utf8))
        }
    }

    @Test func `names of inline machines follow from the chart's, and have a bound`() throws {
        let id = String(repeating: "m", count: 60)
        let inner = #"{"initial":"x","states":{"x":{}}}"#
        func names(_ id: String) throws -> [String] {
            let json = try event(
                """
                {"id":"\(id)","initial":"a","states":{"a":{"invoke":[{"src":{"machine":\(inner)}},
                {"src":{"machine":\(inner)}}]}}}
                """)
            return try ChartDefinitions(Chart(json), json: json).all.map(\.name)
        }
        #expect(try names("m") == ["m", "m.inline-1", "m.inline-2"])
        #expect(throws: ChartProblems.self) { try names(id) }
    }

    @Test(arguments: ["17", "{}", #"{"value":"nowhere","context":{}}"#, "not JSON"])
    func `a state that isn't the chart's is refused`(state: String) throws {
        let machine = try machine(#"{"id":"m","initial":"a","states":{"a":{}}}"#)
        #expect(throws: StepFailure.self) { try machine.restoreInstance(state: Array(state.utf8)) }
    }

    @Test func `a context that would be too large is refused with its size`() throws {
        let assigns = (0..<20).map { #"{"assign":{"m.k\#($0)":"event.s"}}"# }
        let machine = try machine(
            #"{"id":"m","initial":"a","context":{"m":{}},"states":{"a":{"on":{"E":{"actions":["#
                + assigns.joined(separator: ",") + "]}}}}}")
        var instance = try machine.makeInstance()
        let event = try machine.decodeEvent(
            ["type": "E", "s": .string(String(repeating: "y", count: 60_000))])
        var step = StepBuffer()
        do throws(StepFailure) {
            try instance.apply(event, in: context, into: &step)
            Issue.record("it was taken")
        } catch .stateTooLarge(let bytes, let max) {
            #expect(bytes > max)
            #expect(max == ChartLimits.stateBytesMax)
        } catch { Issue.record("\(error)") }
    }

    @Test func `a state that would be too large is refused`() throws {
        let machine = try machine(
            """
            {"id":"m","initial":"a","context":{"t":"x"},"states":{"a":{"on":{"X":
            {"assign":{"t":"context.t + context.t"}}}}}}
            """)
        var small = context
        small.limits.stateBytes = 100
        var instance = try machine.makeInstance()
        var failure: StepFailure?
        for _ in 0..<8 where failure == nil {
            var step = StepBuffer()
            do throws(StepFailure) {
                let event: any HostedEvent
                do { event = try machine.decodeEvent(.string("X")) } catch { return }
                try instance.apply(event, in: small, into: &step)
            } catch {
                failure = error
            }
        }
        guard case .stateTooLarge(_, max: 100) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}
