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

    private func work(_ id: String) -> Lab.Plan {
        .perform("work", id: id, then: "got", tries: 3, policy: "replace")
    }

    @Test func `all parts of a sequence have it, also those that begin later`() throws {
        let bench = try traced()
        try bench.plan(.sequence([work("a"), work("b"), .after(10, id: nil, note: "late")]))
        bench.trace = nil
        try bench.report(.completed(1))
        try bench.advance(by: 0)
        #expect(bench.dispatched.map(\.trace) == [Self.text])
        try bench.restart()
        try bench.advance(by: 0)
        try bench.report(.completed(2))
        try bench.advance(by: 10)
        #expect(try bench.log() == ["got 1", "got 2", "late"])
        let traces = try traces(bench)
        #expect(traces.allSatisfy { $0 == Self.text }, "\(traces)")
    }

    @Test func `what undoes has the trace of what asked for it`() throws {
        let bench = try EffectBench()
        try bench.plan(.undoable("work", id: "a"))
        try bench.report(.completed(1))
        bench.trace = TraceParent(Self.text.utf8)
        try bench.plan(.compensate)
        bench.trace = nil
        try bench.advance(by: 0)
        #expect(bench.dispatched.map(\.trace) == [Self.text])
    }

    @Test func `the records of all attempts have it`() throws {
        let bench = try traced()
        try bench.plan(work("w"))
        bench.trace = nil
        for _ in 0..<3 {
            try bench.report(.failed(reason: "busy", isPermanent: false))
            try bench.advance(by: 60_000)
        }
        let records = try bench.store.records(after: 0, limit: 100, bytes: 1 << 20)
        let changes = records.filter { $0.kind == .effect }
        #expect(changes.count >= 4 && changes.allSatisfy { $0.trace?.text == Self.text })
    }

    @Test(arguments: [true, false])
    func `a child's end has the trace of what cancelled it, or else of its start`(
        isTraced: Bool
    ) throws {
        let bench = try traced()
        try bench.plan(.start("lab", id: "c", instance: "child", note: "hi", detached: false))
        let other = Self.text.replacing("0af7", with: "ffff")
        bench.trace = isTraced ? TraceParent(other.utf8) : nil
        try bench.plan(.cancel("c"))
        bench.trace = nil
        try bench.advance(by: 0)
        let records = try bench.store.records(after: 0, limit: 100, bytes: 1 << 20)
        let end = try #require(records.last)
        #expect(end.kind == .stopped, "\(end.kind)")
        #expect(end.trace?.text == (isTraced ? other : Self.text))
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
