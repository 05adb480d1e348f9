import Testing

@testable import Statecharts

/// Warnings about transitions in different regions of which only one is taken:
/// ``RegionConflicts``.
struct RegionConflictsTests {
    /// Two regions of a parallel state, each with these states, and a state beside it.
    private static func found(_ a: String, _ b: String) -> [ChartProblem] {
        problems(
            """
            {"initial":"p","states":{"out":{"type":"final"},
            "p":{"type":"parallel","on":{"Z":"out"},"states":{
            "a":{"initial":"x","states":{\(a)}},"b":{"initial":"y","states":{\(b)}}}}}}
            """)
    }

    private static let x = "$.states.p.states.a.states.x."
    private static let y = "$.states.p.states.b.states.y."

    @Test(arguments: [
        // The first one leaves the parallel state.
        (##""x":{"on":{"E":"#out"}}"##, #""y":{"on":{"E":"z"}},"z":{}"#, x + "on.E", y + "on.E"),
        // The second one does; a guard doesn't keep the first one from being taken.
        (
            #""x":{"on":{"E":{"target":"z","guard":"1 > rand"}}},"z":{}"#,
            ##""y":{"on":{"E":"#out"}}"##, x + "on.E", y + "on.E"
        ),
        // Descriptors that take the same event.
        (
            #""x":{"on":{"E.F":"z"}},"z":{}"#, ##""y":{"on":{"E.*":"#out"}}"##,
            x + #"on["E.F"]"#, y + #"on["E.*"]"#
        ),
        (
            ##""x":{"on":{"*":"#out"}}"##, #""y":{"on":{"E.F":"z"}},"z":{}"#,
            x + #"on["*"]"#, y + #"on["E.F"]"#
        ),
        // Without an event.
        (##""x":{"always":"#out"}"##, #""y":{"always":"z"},"z":{}"#, x + "always", y + "always"),
    ])
    func `the later one of two that exclude each other has a warning`(
        a: String, b: String, winner: String, loser: String
    ) {
        let found = Self.found(a, b)
        #expect(found.map(\.path) == [loser])
        let message =
            "this isn't taken when \(winner) is, in another region: one of them leaves 'p'"
        #expect(found.first?.message.hasPrefix(message) == true, "\(found)")
    }

    @Test(arguments: [
        // Both with guards, which may exclude each other.
        (
            ##""x":{"on":{"E":{"target":"#out","guard":"rand > 0.5"}}}"##,
            #""y":{"on":{"E":{"target":"z","guard":"rand < 0.5"}}},"z":{}"#
        ),
        // The same target, another event, and each within its own region.
        (##""x":{"on":{"E":"#out"}}"##, ##""y":{"on":{"E":"#out"}}"##),
        (##""x":{"on":{"E":"#out"}}"##, #""y":{"on":{"F":"z"}},"z":{}"#),
        (#""x":{"on":{"E":"w"}},"w":{"on":{"E":"x"}}"#, #""y":{"on":{"E":"z"}},"z":{}"#),
        // A transition around the regions, which one within precedes.
        (#""x":{"on":{"Z":"w"}},"w":{}"#, #""y":{}"#),
    ])
    func `what is meant like this has no warning`(a: String, b: String) {
        #expect(Self.found(a, b).map(\.description) == [])
    }

    @Test func `many transitions of one event are looked at in passing`() {
        let states = (0..<1_000).map { ##""s\##($0)":{"on":{"E":"#out"}}"## }
        let found = Self.found(
            ##""x":{"on":{"E":{"target":"#out","actions":{"log":"1"}}}}"##,
            #""y":{"on":{"E":"s0"}},"# + states.joined(separator: ","))
        #expect(found.contains { $0.path == Self.y + "on.E" })
    }
}
