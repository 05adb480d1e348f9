import Testing
import Transducers

@testable import Statecharts

/// The drawing of a chart.
struct ChartDiagramTests {
    @Test func `states are nodes and groups, transitions are arrows with event and guard`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","on":{"RESET":"a"},"context":{"n":1},"states":{
                  "a":{"on":{"GO":[{"guard":"context.n > 0","target":"p"},{}]},
                       "after":{"30s":"f"}},
                  "p":{"type":"parallel","states":{
                    "q":{"initial":"r","states":{"r":{"always":"h"},
                         "h":{"type":"history","history":"deep","target":"r"}}},"s":{}}},
                  "f":{"type":"final"}}}
                """#.utf8))
        let diagram: StateDiagram = chart.diagram
        #expect(diagram.nodes.map(\.label) == ["a", "f"])
        #expect(diagram.nodes.map(\.kind) == [.state, .terminal])
        #expect(diagram.initial == "s1")
        let group = try #require(diagram.groups.first)
        #expect(group.label == "p (parallel)")
        #expect(group.nodes.map(\.label) == ["p", "s"])
        #expect(group.kind == .parallel && group.own == "s2")
        let inner = try #require(group.groups.first)
        #expect(inner.nodes.map(\.label) == ["q", "r", "h (H*)"])
        #expect(inner.kind == .compound && inner.nodes.last?.kind == .history(isDeep: true))
        let links = diagram.links.map { "\($0.from) \($0.label) \($0.to)" }
        #expect(
            links == [
                "s1 RESET s1", "s2 RESET s1", "s1 GO [context.n > 0] s2",
                "s1 GO s1", "s1 after 30s s7", "s4 always s5", "s3  s4", "s5  s4",
            ])
        #expect(
            diagram.links.map(\.kind) == [
                .event, .event, .event, .event, .after, .always, .initial, .initial,
            ])
        #expect(diagram.links[2].event == "GO" && diagram.links[2].condition == "context.n > 0")
        #expect(diagram.mermaid.contains("s1 --> s2 : GO [context.n > 0]"))
        #expect(diagram.dot.contains("cluster_g2"))
    }

    @Test func `active states and those around them are colored`() throws {
        let chart = try Chart(
            parsing: Array(
                #"{"initial":"a","states":{"a":{"initial":"b","states":{"b":{}}},"c":{}}}"#.utf8))
        let (diagram, unknown) = chart.diagram(active: ["a.b", "gone"])
        #expect(unknown == ["gone"])
        #expect(diagram.mermaid.contains("class s1,s2 active"))
        #expect(diagram.dot.ranges(of: "fillcolor=gold").count == 2)
        #expect(!chart.diagram.mermaid.contains("active"))
        #expect(chart.diagram(active: ["b"]).diagram == diagram)
    }

    @Test func `a server's drawing has the beginning of a large chart, and says so`() throws {
        func described(states: Int, transitions: Int, guardBytes: Int = 0) throws
            -> MachineDescription
        {
            let condition = #""guard":"'\#(String(repeating: "x", count: guardBytes))' != ''""#
            let first = (0..<transitions).map { #""E\#($0)":{"target":"s1",\#(condition)}"# }
            let states = (0..<states).map { number in
                let on = number == 0 ? first.joined(separator: ",") : ""
                return #""s\#(number)":{"on":{\#(on)}}"#
            }
            let text = #"{"initial":"s0","states":{\#(states.joined(separator: ","))}}"#
            let chart = try Chart(parsing: Array(text.utf8))
            return ChartDescriber(chart: chart).describe()
        }
        let full = try described(states: ChartLimits.drawnStatesMax, transitions: 1)
        #expect(full.diagram.nodes.count == ChartLimits.drawnStatesMax)
        let wide = try described(states: ChartLimits.drawnStatesMax + 1, transitions: 1)
        #expect(wide.diagram.nodes == full.diagram.nodes && wide.isPartial)
        let busy = try described(states: 2, transitions: ChartLimits.drawnLinksMax + 1)
        #expect(busy.diagram.links.count == ChartLimits.drawnLinksMax && busy.isPartial)
        let wordy = try described(states: 2, transitions: 1_000, guardBytes: 1_000)
        #expect((200...262).contains(wordy.diagram.links.count) && wordy.isPartial)
        #expect(try !described(states: 2, transitions: 200).isPartial)
        let small = try Chart(parsing: Array(#"{"initial":"a","states":{"a":{}}}"#.utf8))
        var drawing = ChartDrawing(small, .init(states: 0, links: 1, textBytes: 1))
        #expect(drawing.draw().nodes.isEmpty && drawing.isPartial)
    }

    @Test func `an instance's states are active, and events have examples`() throws {
        let chart = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","events":{"PAY":{"type":"object","required":["amount"],
                  "properties":{"amount":{"type":"integer","minimum":3}}}},
                 "states":{"a":{"initial":"b","states":{"b":{"on":{"GO":"#c"}}}},
                           "c":{"on":{"PAY":"a"}}}}
                """#.utf8))
        let state = Array(#"{"value":{"a":"b"},"context":{}}"#.utf8)
        let description = ChartDescriber(chart: chart).describe(in: state)
        #expect(description.diagram.mermaid.contains("class s1,s2 active"))
        #expect(description.examples.map(\.event) == ["PAY", "GO"])
        let texts = description.examples.flatMap(\.values).map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(texts.first == #"{"type":"PAY","amount":3}"# && texts.last == #"{"type":"GO"}"#)
    }

    @Test func `delays are drawn, and what is left out takes no time`() throws {
        let timed = try Chart(
            parsing: Array(
                #"""
                {"initial":"a","context":{"d":5},"states":{"a":{"after":[
                  {"delay":"30s","target":"b"},{"delay":{"expr":"context.d"},"target":"b"}]},
                 "b":{"always":{"guard":"context.d < 1","target":"a"}}}}
                """#.utf8))
        let links = ChartDescriber(chart: timed).describe().diagram.links
        #expect(links.map(\.event) == ["after 30s", "after context.d", "always"])
        #expect(links.last?.condition == "context.d < 1")
        #expect(ChartDescriber(chart: timed).readsDataOnly)
        // All transitions of the machine lead to states that aren't drawn.
        let count = ChartLimits.drawnStatesMax + 1
        let states = (1...count).map { #""s\#($0)":{}"# }.joined(separator: ",")
        let on = (1...5_000).map { #""E\#($0)":"s\#(count)""# }.joined(separator: ",")
        let text = #"{"initial":"s1","on":{\#(on)},"states":{\#(states)}}"#
        let chart = try Chart(Chart.json(parsing: Array(text.utf8)), wasAccepted: true)
        let description = ChartDescriber(chart: chart).describe()
        #expect(description.diagram.links.isEmpty && description.isPartial)
        #expect(description.events.count == MachineDescription.statesMax)
    }
}
