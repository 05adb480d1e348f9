import GroveWire
import OrderedJSON
import Testing

@testable import GroveEngine

@Suite("The trace of a request")
struct TraceTests {
    private static let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func traced() throws -> EffectBench {
        let bench = try EffectBench()
        bench.trace = TraceParent(Self.text.utf8)
        return bench
    }

    /// The traces of the versions of all instances, in order.
    private func traces(_ bench: EffectBench) throws -> [String?] {
        try bench.store.records(after: 0, limit: 100, bytes: 1 << 20).filter(\.makesVersion)
            .map { $0.trace?.text }
    }

    @Test func `its steps have it, its effects get it, and the steps of their results have it`()
        throws
    {
        let bench = try traced()
        try bench.plan(.perform("work", id: "w", then: "got", tries: 2, policy: "replace"))
        #expect(bench.dispatched.last?.trace == Self.text)
        bench.trace = nil
        // Another attempt, of another process.
        try bench.report(.failed(reason: "busy", isPermanent: false))
        try bench.restart()
        try bench.advance(by: 1_000)
        #expect(bench.dispatched.last?.attempt == 2)
        #expect(bench.dispatched.last?.trace == Self.text)
        try bench.report(.completed(7))
        #expect(try bench.log() == ["got 7"])
        try bench.send(.note("other"))
        let traces = try traces(bench)
        #expect(traces.last == .some(nil), "an event without a trace has none")
        #expect(traces.dropLast().allSatisfy { $0 == Self.text }, "\(traces)")
        #expect(traces.count == 4)
    }

    @Test func `steps of children and of other instances have it`() throws {
        let bench = try traced()
        try bench.plan(.start("lab", id: "c", instance: "child", note: "hi", detached: false))
        #expect(bench.takeOutputs(of: "lab/child") == [#""hi""#])
        try bench.plan(.send(to: "lab/other", note: "there", after: 0))
        #expect(bench.takeOutputs(of: "lab/other") == [#""there""#])
        let traces = try traces(bench)
        #expect(traces.count >= 6 && traces.allSatisfy { $0 == Self.text }, "\(traces)")
        bench.trace = nil
        try bench.send(.end(nil), to: "lab/child")
        #expect(try self.traces(bench).suffix(2) == [nil, Self.text], "the parent's effect has it")
    }

    @Test func `a timer's step has it`() throws {
        let bench = try traced()
        try bench.plan(.after(1_000, id: "t", note: "late"))
        bench.trace = nil
        try bench.restart()
        try bench.advance(by: 1_000)
        #expect(try bench.log() == ["late"])
        #expect(try traces(bench).allSatisfy { $0 == Self.text })
    }
}
