import OrderedJSON
import Testing
import Transducers

@testable import Statecharts

/// Another version of a chart for an instance.
@Suite struct ChartMigrationTests {
    private static let context = StepContext(
        limits: StepLimits(
            immediateEvents: 1_000, outputs: 100, outputBytes: 1 << 20, stateBytes: 1 << 20))

    private static func machine(_ text: String) throws -> any HostedMachine {
        let json = try JSONValue(parsing: Array(text.utf8))
        return try #require(ChartDefinitions(Chart(json), json: json).all.first).machine
    }

    /// Migrates an instance that has taken some events.
    ///
    /// - Returns: The new state, and the effects.
    private func migrate(
        _ old: String, _ events: [String] = [], to new: String, plan: String? = nil
    ) throws -> (state: String, effects: [String]) {
        let former = try Self.machine(old)
        var instance = try former.makeInstance(.unnamed, input: nil, in: Self.context)
        var state = StepBuffer()
        try instance.describeInitial(into: &state)
        for event in events {
            state = StepBuffer()
            try instance.apply(
                former.decodeEvent(.string(event)), in: Self.context, into: &state)
        }
        var step = StepBuffer()
        _ = try Self.machine(new).migrate(
            .unnamed, state: state.state.bytes, of: former,
            plan: plan.map { try JSONValue(parsing: Array($0.utf8)) }, in: Self.context, into: &step
        )
        let effects = step.effects.map { effect in
            switch effect {
            case .start(let run): "start \(run.key.text ?? "")"
            case .rename(let list):
                list.map { "\($0.from.text ?? "") is \($0.to.text ?? "")" }
                    .joined(separator: ", ")
            case .cancel(let selector): "cancel \(selector.choice)"
            default: "\(effect)"
            }
        }
        return (String(decoding: step.state.bytes, as: UTF8.self), effects)
    }

    private func refusal(
        _ old: String, _ events: [String] = [], to new: String, plan: String? = nil
    ) throws -> String {
        do throws(any Error) {
            _ = try migrate(old, events, to: new, plan: plan)
            return "none"
        } catch StepFailure.evaluation(let message) {
            return message
        }
    }

    @Test func `new regions are entered by default, and start what they have`() throws {
        let (state, effects) = try migrate(
            #"{"id":"m","initial":"p","states":{"p":{"type":"parallel","#
                + #""states":{"x":{"initial":"x1","states":{"x1":{"on":{"X":"x2"}},"#
                + #""x2":{}}}}}}}"#,
            ["X"],
            to:
                #"{"id":"m","initial":"p","states":{"p":{"type":"parallel","#
                + #""states":{"x":{"initial":"x1","states":{"x1":{},"#
                + #""x2":{"after":{"1s":"x1"}}}},"y":{"initial":"y1","#
                + #""states":{"y1":{"after":{"1m":"y2"},"invoke":{"src":"http","#
                + #""url":"https://a.example"}},"y2":{}}}}}}}"#
        )
        #expect(state.hasPrefix(#"{"value":{"p":{"x":"x2","y":"y1"}},"context":{},"invoked":[{"#))
        // A state that stays gets a timer that it didn't have.
        #expect(effects == ["start timer/x2/0", "start timer/y1/0", "start invoke/y1.0/1"])
    }

    @Test func `a compound state in the place of a simple one is entered by default`() throws {
        let (state, _) = try migrate(
            #"{"id":"m","initial":"a","states":{"a":{}}}"#,
            to: #"{"id":"m","initial":"a","states":{"a":{"initial":"b","states":{"b":{},"c":{}}}}}"#
        )
        #expect(state == #"{"value":{"a":"b"},"context":{}}"#)
    }

    @Test func `a running timer of a state that stays continues, one of another state ends`() throws
    {
        let old = #"{"id":"m","initial":"a","states":{"a":{"after":{"1s":"b"}},"b":{}}}"#
        #expect(
            try migrate(
                old, to: #"{"id":"m","initial":"a","states":{"a":{"after":{"9s":"b"}},"b":{}}}"#
            ).effects.isEmpty)
        #expect(
            try migrate(old, to: #"{"id":"m","initial":"a","states":{"a":{},"b":{}}}"#).effects
                == [#"cancel id("timer/a/0")"#])
        #expect(
            try migrate(
                old, to: #"{"id":"m","initial":"z","states":{"z":{"after":{"1s":"b"}},"b":{}}}"#,
                plan: #"{"states":{"a":"z"}}"#
            ).effects == ["timer/a/0 is timer/z/0"])
    }

    @Test func `what a staying state gains starts, and what it loses ends`() throws {
        let bare = #"{"id":"m","initial":"a","states":{"a":{},"b":{}}}"#
        let rich = { (name: String) in
            #"{"id":"m","initial":"a","context":{"i":""},"states":{"a":{"after":{"1s":"b"},"#
                + #""invoke":{"id":\#(name),"src":"machine:k"}},"b":{}}}"#
        }
        let (state, gained) = try migrate(bare, to: rich(#""i""#))
        #expect(gained == ["start timer/a/0", "start invoke/i/1"])
        #expect(state.contains(#""invoked":[{"id":"i","state":"a","position":0,"serial":1}]"#))
        let (left, lost) = try migrate(rich(#""i""#), to: bare)
        #expect(lost == [#"cancel id("timer/a/0")"#, #"cancel id("invoke/i/1")"#])
        #expect(!left.contains("invoked"))
        // Another one in its place starts.
        let (other, effects) = try migrate(rich(#""i""#), to: rich(#""j""#))
        #expect(effects == [#"cancel id("invoke/i/1")"#, "start invoke/j/2"])
        #expect(other.contains(#""id":"j""#) && !other.contains(#""id":"i""#))
    }

    @Test func `invocations go on by their ids, and made ids follow the state`() throws {
        let old =
            #"{"id":"m","initial":"a","context":{"i":""},"states":{"a":{"invoke":["#
            + #"{"id":{"assign":"i"},"src":"machine:k"},{"id":"one","src":"machine:k"}]}}}"#
        let new =
            #"{"id":"m","initial":"b","context":{"i":""},"states":{"b":{"invoke":["#
            + #"{"id":{"assign":"i"},"src":"machine:k"},"#
            + #"{"id":"two","src":"machine:k"},{"id":"one","src":"machine:k"}]}}}"#
        let (state, effects) = try migrate(old, to: new, plan: #"{"states":{"a":"b"}}"#)
        #expect(effects == ["invoke/a.0/1 is invoke/b.0/1", "start invoke/two/3"])
        #expect(state.contains(#""context":{"i":"b.0"}"#))
        #expect(
            state.contains(
                #""invoked":[{"id":"b.0","state":"b","position":0,"serial":1},"#
                    + #"{"id":"one","state":"b","position":2,"serial":2},"#
                    + #"{"id":"two","state":"b","position":1,"serial":3}]"#))
    }

    @Test func `two invocations can't get one id`() throws {
        func chart(_ name: String, _ second: String) -> String {
            #"{"id":"m","initial":"\#(name)","context":{"i":"b.1"},"#
                + #""states":{"\#(name)":{"invoke":[{"id":{"expr":"context.i"},"#
                + #""src":"machine:k"}\#(second)]}}}"#
        }
        let plan = #"{"states":{"a":"b"}}"#
        let unnamed = #",{"src":"machine:k"}"#
        #expect(
            try refusal(chart("a", unnamed), to: chart("b", unnamed), plan: plan)
                .contains("two of its invocations would have the id 'b.1'"))
        #expect(
            try refusal(
                chart("a", ""), to: chart("b", #",{"id":"b.1","src":"machine:k"}"#), plan: plan
            ).contains("runs already"))
    }

    @Test func `histories and deferred events are kept as far as they fit`() throws {
        let chart = { (inner: String) in
            #"{"id":"m","initial":"c","states":{"c":{"initial":"c1","#
                + #""states":{"h":{"type":"history","target":"c1"},"#
                + #""c1":{"on":{"N":"\#(inner)"}},"\#(inner)":{}},"on":{"OUT":"o"}},"#
                + ##""o":{"defer":"D","on":{"BACK":"#h"}}}}"##
        }
        let (kept, _) = try migrate(chart("c2"), ["N", "OUT", "D"], to: chart("c2"))
        #expect(kept.contains(#""history":{"h":["c2"]}"#))
        #expect(kept.contains(#""deferred":[{"type":"D"}]"#))
        let (renamed, _) = try migrate(
            chart("c2"), ["N", "OUT"], to: chart("c3"), plan: #"{"states":{"c2":"c3"}}"#)
        #expect(renamed.contains(#""history":{"h":["c3"]}"#))
        let (dropped, _) = try migrate(chart("c2"), ["N", "OUT"], to: chart("c3"))
        #expect(!dropped.contains("history"))
    }

    @Test func `a history with a new name remembers`() throws {
        let chart = { (name: String) in
            ##"{"id":"m","initial":"c","states":{"c":{"initial":"c1","states":{"##
                + #""\#(name)":{"type":"history","target":"c1"},"c1":{"on":{"N":"c2"}},"c2":{}},"#
                + ##""on":{"OUT":"o"}},"o":{"on":{"BACK":"#\##(name)"}}}}"##
        }
        let (state, _) = try migrate(
            chart("last"), ["N", "OUT"], to: chart("prev"), plan: #"{"states":{"last":"prev"}}"#)
        #expect(state.contains(#""history":{"prev":["c2"]}"#))
    }

    @Test func `what loops have made stays in the context`() throws {
        let chart = { (list: String) in
            #"""
            {"id":"m","initial":"a","context":{"list":[1,2]},"states":{"a":{"on":{
             "\#(list)":{"foreach":{"in":"context.list","item":"x","index":"i","actions":[]}},
             "SHOW":{"assign":{"list":"[context.i]"}}}}}}
            """#
        }
        let (same, _) = try migrate(chart("SUM"), ["SUM"], to: chart("SUM"))
        #expect(same.contains(#""x":2,"i":1"#))
        // A version without the loop has no such members.
        let (other, _) = try migrate(
            chart("SUM"), ["SUM"],
            to: #"{"id":"m","initial":"a","context":{"list":[]},"states":{"a":{"on":{"E":{}}}}}"#)
        #expect(other.contains(#""context":{"list":[1,2]}"#))
    }

    @Test func `a history of regions is dropped where they are states of which one is active`()
        throws
    {
        let old =
            ##"{"id":"m","initial":"p","states":{"p":{"type":"parallel","on":{"OUT":"o"},"##
            + ##""states":{"h":{"type":"history","target":["x","y"]},"x":{},"y":{}}},"##
            + ##""o":{"on":{"BACK":"#h"}}}}"##
        let new =
            ##"{"id":"m","initial":"p","states":{"p":{"initial":"x","on":{"OUT":"o"},"##
            + ##""states":{"h":{"type":"history","target":"x"},"x":{"on":{"N":"y"}},"y":{}}},"##
            + ##""o":{"on":{"BACK":"#h"}}}}"##
        let (kept, _) = try migrate(old, ["OUT"], to: old)
        #expect(kept.contains(#""history":{"h":["x","y"]}"#))
        let (dropped, _) = try migrate(old, ["OUT"], to: new)
        #expect(!dropped.contains("history"))
    }

    @Test func `what has no counterpart is refused`() throws {
        let one = #"{"id":"m","initial":"a","states":{"a":{}}}"#
        #expect(
            try refusal(one, to: #"{"id":"m","initial":"b","states":{"b":{}}}"#)
                .contains("no state 'a'"))
        #expect(
            try refusal(
                one,
                to:
                    #"{"id":"m","initial":"b","states":{"b":{"on":{"X":"f"}},"#
                    + #""f":{"type":"final"}}}"#,
                plan: #"{"states":{"a":"f"}}"#
            ).contains("final"))
        #expect(
            try refusal(
                #"{"id":"m","type":"parallel","states":{"x":{},"y":{}}}"#,
                to: #"{"id":"m","initial":"x","states":{"x":{"on":{"N":"y"}},"y":{}}}"#
            ).contains("can't be active together"))
    }

    @Test(arguments: [
        ("7", "an object"), (#"{"stats":{}}"#, "'stats' is unknown"),
        (#"{"states":[]}"#, "'states' is an object"), (#"{"states":{"a":1}}"#, "name of a state"),
        (#"{"context":7}"#, "'context' is an object"), (#"{"context":{"n":"1 +"}}"#, "$.context.n"),
    ])
    func `a plan with problems is refused`(plan: String, problem: String) throws {
        let one = #"{"id":"m","initial":"a","states":{"a":{}}}"#
        #expect(try refusal(one, to: one, plan: plan).contains(problem))
        let json = try JSONValue(parsing: Array(plan.utf8))
        #expect(throws: ChartProblems.self) { try ChartMigration(json) }
    }

    @Test func `a context that grows without end is refused`() throws {
        let one = #"{"id":"m","initial":"a","context":{"l":[1]},"states":{"a":{}}}"#
        let plan =
            #"{"context":{"l":"[1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b,"#
            + #" [1,2,3,4,5,6,7,8,9,10].map(c, [1,2,3,4,5,6,7,8,9,10].map(d, [1,2,3,4,5,"#
            + #"6,7,8,9,10].map(e, context.l)))))"}}"#
        #expect(throws: StepFailure.self) { try migrate(one, to: one, plan: plan) }
    }

    // MARK: Comparing

    private static let finishing =
        #"{"id":"m","initial":"a","context":{"n":3},"states":{"a":{"on":{"E":"z"}},"#
        + #""z":{"type":"final"}}}"#
    private static let renamed =
        #"{"id":"m","initial":"b","migrates":{"states":{"a":"b","z":"y"},"#
        + #""context":{"twice":"context.n * 2"}},"context":{"n":0,"twice":0},"#
        + #""states":{"b":{"on":{"E":"y"},"after":{"1s":"y"}},"y":{"type":"final"}}}"#

    @Test func `a state that stands for another one may be final, unlike a migrated one`() throws {
        let (former, other) = try (Self.machine(Self.finishing), Self.machine(Self.renamed))
        for (stored, expected) in [
            (
                #"{"value":"a","context":{"n":3}}"#,
                #"{"value":"b","context":{"n":3,"twice":6}}"#
            ),
            (
                #"{"value":"z","context":{"n":3},"finished":true}"#,
                #"{"value":"y","context":{"n":3,"twice":6},"finished":true}"#
            ),
        ] {
            let instance = try other.counterpart(
                .unnamed, state: Array(stored.utf8), from: "1", of: former, in: Self.context)
            var step = StepBuffer()
            try instance.describeInitial(into: &step)
            #expect(String(decoding: step.state.bytes, as: UTF8.self) == expected)
            #expect(step.effects.isEmpty)
        }
        #expect(
            try refusal(Self.finishing, ["E"], to: Self.renamed)
                == "the instance can't be migrated: it is finished")
        #expect(throws: StepFailure.self) {
            _ = try other.counterpart(
                .unnamed, state: Array(#"{"value":"a","context":{"n":3}}"#.utf8), from: "1",
                of: nil, in: Self.context)
        }
    }

    @Test func `a stored timer of a renamed state is read as its counterpart's`() throws {
        let other = try Self.machine(Self.renamed)
        func timer(of state: String) throws -> any HostedEvent {
            let meta = #"{"kind":"platform","state":"\#(state)","timer":0}"#
            let event = #"{"type":"after","$meta":\#(meta)}"#
            return try other.decodeEvent(JSONValue(parsing: Array(event.utf8)))
        }
        #expect(try timer(of: "a").canonicalText() == timer(of: "b").canonicalText())
        #expect(throws: EventError.self) { try timer(of: "c") }
    }
}
