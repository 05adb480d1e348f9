import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

/// What has no business to happen, and what must not come of it.
@Suite("Effects among faults")
struct EffectFaultTests {
    private func work(_ id: String = "w", then: String? = "got", tries: Int = 1) -> Lab.Plan {
        .perform("work", id: id, then: then, tries: tries, policy: "replace")
    }

    private func named(_ name: String) throws -> InstanceName {
        try #require(InstanceName(name))
    }

    // MARK: Crashes

    @Test func `a parent's end reaches more children than one batch stops, across a crash`() throws
    {
        let bench = try EffectBench()
        let kids = (0..<300).map { "k\($0)" }
        for kid in kids {
            try bench.plan(.start("lab", id: kid, instance: kid, note: nil, detached: false))
        }
        try bench.send(.end(nil))
        try bench.restart()
        try bench.settle()
        for kid in kids { #expect(try bench.got("lab/\(kid)").isDone, "\(kid)") }
        #expect(try bench.store.effects(after: nil, limit: 1).isEmpty)
        #expect(bench.engine.nextDue == nil)
    }
}
