/// The style sheet of drawings.
///
/// A page may set the variables, and has the classes for rules of its own. The presentation
/// attributes that the drawing has besides are for where style sheets are not allowed.
enum DiagramStyle {
    static let sheet: StaticString = """
        .diagram{--diagram-paper:#fff;--diagram-ink:#1f2328;--diagram-line:#59636e;\
        --diagram-box:#f6f8fa;--diagram-group:#fff;--diagram-border:#818b98;\
        --diagram-lit:#fff1c2;--diagram-lit-line:#9a6700;--diagram-error:#c0362c;\
        background:var(--diagram-paper)}
        @media (prefers-color-scheme:dark){.diagram{--diagram-paper:#0d1117;\
        --diagram-ink:#e6edf3;--diagram-line:#9198a1;--diagram-box:#1c2129;\
        --diagram-group:#11161d;--diagram-border:#6e7681;--diagram-lit:#4d3800;\
        --diagram-lit-line:#e3b341;--diagram-error:#ff7b72}}
        .diagram text{fill:var(--diagram-ink);stroke:none}
        .diagram .node .shape{fill:var(--diagram-box);stroke:var(--diagram-border)}
        .diagram .group .shape{fill:var(--diagram-group)}
        .diagram .bare .shape{fill:none;stroke:none}
        .diagram .inner{fill:none;stroke:var(--diagram-border)}
        .diagram .separator{stroke:var(--diagram-border)}
        .diagram .edge path,.diagram .mark path,.diagram .clock{stroke:var(--diagram-line)}
        .diagram .edge .head,.diagram .mark .head,.diagram .mark .dot{fill:var(--diagram-line);\
        stroke:none}
        .diagram .edge.error path{stroke:var(--diagram-error)}
        .diagram .edge.error .head{fill:var(--diagram-error);stroke:none}
        .diagram .label{fill:var(--diagram-ink)}
        .diagram .node.lit .shape{fill:var(--diagram-lit);stroke:var(--diagram-lit-line);\
        stroke-width:2}
        .diagram .node.group.lit .shape{fill:var(--diagram-group)}
        .diagram .node.bare.lit .shape{fill:none;stroke:none}
        .diagram .edge.lit path{stroke:var(--diagram-lit-line);stroke-width:2.5}
        .diagram .edge.lit .head{fill:var(--diagram-lit-line);stroke:none}

        """
}
