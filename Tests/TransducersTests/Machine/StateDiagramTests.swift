import Testing

@testable import Transducers

@Suite("StateDiagram")
struct StateDiagramTests {
    private let diagram: StateDiagram = {
        var diagram = StateDiagram(
            nodes: [
                StateDiagram.Node(
                    id: "s0", label: "a: \"b\"; #c\\\nd", kind: .state, isDeadEnd: true),
                StateDiagram.Node(id: "s1", label: "lost", kind: .computed, isUnreachable: true),
            ], links: [StateDiagram.Link(from: "s0", to: "r0s0", .computed, event: "")],
            initial: "s0")
        diagram.groups = ["r0", "r1"].map { id in
            StateDiagram.Group(
                id: id, label: "room", nodes: [.init(id: id + "s0", label: "in", kind: .terminal)],
                links: [.init(from: id + "s0", to: "s0", event: "out")], groups: [])
        }
        return diagram
    }()

    @Test func `Mermaid draws groups, and labels contain no syntax`() {
        #expect(
            diagram.mermaid == """
                stateDiagram-v2
                    state "a#58; #quot;b#quot;#59; #35;c\\ d" as s0
                    state "lost" as s1
                    state "room" as r0 {
                        state "in" as r0s0
                        r0s0 --> s0 : out
                        r0s0 --> [*]
                    }
                    state "room" as r1 {
                        state "in" as r1s0
                        r1s0 --> s0 : out
                        r1s0 --> [*]
                    }
                    [*] --> s0
                    s0 --> r0s0

                """)
    }

    @Test func `Mermaid gets a flat diagram where an arrow leads from group to group`() {
        var diagram = diagram
        diagram.links.append(StateDiagram.Link(from: "r0s0", to: "r1s0", event: "over"))
        let text = diagram.mermaid
        #expect(text.contains("    state \"room / in\" as r0s0\n") && !text.contains("{"))
        #expect(text.contains("    r0s0 --> r1s0 : over\n"))
        #expect(text.contains("    r1s0 --> [*]\n"))
    }

    @Test func `a label can't leave its quotes, nor control a terminal`() {
        let label = "a\"\u{301}]; b\r\nc\td\u{1B}[31m\u{202E}e&lt;"
        let diagram = StateDiagram(
            nodes: [StateDiagram.Node(id: "s0", label: label, kind: .state)], links: [],
            initial: "s0")
        let accent = "\u{301}"
        #expect(
            diagram.dot.contains(
                "s0 [label=\"a\\\"\(accent)]; b c d\u{FFFD}[31m\u{FFFD}e&amp;lt;\"];"))
        #expect(
            diagram.mermaid.contains(
                "state \"a#quot;\(accent)]#59; b c d\u{FFFD}[31m\u{FFFD}e&lt#59;\" as s0"))
    }

    @Test func `Graphviz fills dead ends and dashes the unreachable and the computed`() {
        let text = diagram.dot
        #expect(
            text.contains(
                #"s0 [label="a: \"b\"; #c\\ d", style="rounded,filled"];"#))
        #expect(text.contains(#"s1 [label="lost", style=dashed, style="rounded,dashed"];"#))
        #expect(text.contains(#"s0 -> r0s0 [label="", style=dashed];"#))
        #expect(text.contains("    subgraph cluster_r1 {\n        label=\"room\";"))
        #expect(text.contains(#"        r0s0 [label="in", peripheries=2];"#))
    }
}
