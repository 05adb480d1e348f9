import GroveEngine
import OrderedJSON
import Testing
import Transducers

@Suite("Sequences of hosted machines")
struct SequenceTests {
    private func work(_ id: String) -> Lab.Plan {
        .perform("work", id: id, then: "got", tries: 1, policy: "replace")
    }

    @Test func `each part begins when the one before has ended and its result is applied`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .sequence([work("a"), .apply("between"), .after(10, id: nil, note: "t"), work("b")]))
        #expect(bench.atWork.count == 1)
        try bench.report(.completed(1))
        #expect(try bench.log() == ["got 1", "between"])
        #expect(bench.atWork.isEmpty)
        try bench.advance(by: 10)
        try bench.report(.completed(2))
        #expect(try bench.log() == ["got 1", "between", "t", "got 2"])
        #expect(try bench.rows() == [])
    }

    @Test func `a sequence waits for all parallel parts`() throws {
        let bench = try EffectBench()
        try bench.plan(.sequence([.all([work("a"), work("b")]), .apply("both")]))
        #expect(bench.atWork.count == 2)
        try bench.report(.completed(1))
        #expect(try bench.log() == ["got 1"])
        try bench.report(.completed(2))
        #expect(try bench.log() == ["got 1", "got 2", "both"])
    }

    @Test func `a failure ends the sequence, and its siblings still report`() throws {
        let bench = try EffectBench()
        try bench.plan(.sequence([.all([work("a"), work("b")]), .apply("never")]))
        try bench.report(.failed(reason: "no", isPermanent: true))
        try bench.report(.completed(2))
        #expect(try bench.log() == ["a failed: no", "got 2"])
        #expect(try bench.rows() == [])
    }

    @Test func `a refused event ends the sequence`() throws {
        let bench = try EffectBench()
        try bench.plan(.sequence([.after(10, id: nil, note: "t"), .refuse, .apply("never")]))
        try bench.advance(by: 10)
        try bench.settle()
        #expect(try bench.log() == ["t"])
        #expect(try bench.rows() == [])
    }

    @Test func `an undo that fails doesn't prevent others, and is kept`() throws {
        let bench = try EffectBench()
        try bench.plan(.undoable("work", id: "flight"), .undoable("work", id: "hotel"))
        try bench.report(.completed(1))
        try bench.report(.completed(2))
        try bench.plan(.sequence([.compensate, .apply("never")]))
        try bench.settle()
        try bench.report(.failed(reason: "no", isPermanent: true))
        #expect(bench.atWork == ["undo flight 1"])
        try bench.report(.completed(.null))
        #expect(try bench.rows() == ["failed -"])
        #expect(try bench.log() == ["got 1", "got 2"])
    }

    @Test func `a cancelled part ends the sequence`() throws {
        let bench = try EffectBench()
        try bench.plan(.sequence([.after(10, id: "t", note: "x"), .apply("never")]))
        try bench.plan(.cancel("t"))
        try bench.advance(by: 100)
        #expect(try bench.log() == [])
        #expect(try bench.rows() == [])
    }

    @Test func `sequences in sequences, across a crash at every step`() throws {
        let bench = try EffectBench()
        try bench.plan(
            .sequence([
                .sequence([work("a"), .after(5, id: nil, note: "1")]),
                .all([.sequence([work("b"), .apply("2")]), .after(7, id: nil, note: "3")]),
                .apply("4"),
            ]))
        try bench.restart()
        try bench.report(.completed("a"))
        try bench.restart()
        try bench.advance(by: 5)
        try bench.restart()
        try bench.report(.completed("b"))
        try bench.restart()
        try bench.advance(by: 7)
        try bench.restart()
        try bench.settle()
        #expect(try bench.log() == [#"got "a""#, "1", #"got "b""#, "2", "3", "4"])
        #expect(try bench.rows() == [])
    }

    @Test func `compensate undoes completed effects one by one, the last first`() throws {
        let bench = try EffectBench()
        try bench.plan(.undoable("work", id: "flight"), .undoable("work", id: "hotel"))
        try bench.report(.completed(1))
        try bench.report(.completed(2))
        #expect(try bench.rows() == ["completed flight", "completed hotel"])
        try bench.plan(.sequence([.compensate, .apply("undone")]))
        try bench.settle()
        #expect(bench.atWork == ["undo hotel 1"])
        try bench.restart()
        try bench.report(.completed(.null))
        #expect(bench.atWork == ["undo flight 1"])
        try bench.report(.failed(reason: "busy", isPermanent: false))
        try bench.advance(by: 10_000)
        #expect(bench.atWork == ["undo flight 2"])
        try bench.report(.completed(.null))
        #expect(try bench.log() == ["got 1", "got 2", "undone"])
        #expect(try bench.rows() == [])
    }

    @Test func `the next event of a sequence is listed as an event, not as a timer`() throws {
        let bench = try EffectBench()
        try bench.plan(.sequence([.after(10, id: "t", note: "first"), .apply("then")]))
        try bench.advance(by: 10)
        #expect(try bench.log() == ["first", "then"])
        var kinds: [String] = []
        for sequence in 1...bench.store.head {
            for note in try bench.store.record(at: sequence)?.effects ?? [] {
                kinds.append(try JSONValue(parsing: note)["kind"]?.string ?? "-")
            }
        }
        #expect(kinds.count > 2 && kinds.prefix(2) == ["after", "after"])
        #expect(kinds.dropFirst(2).allSatisfy { $0 == "event" })
        let timer = HostedRun(
            key: HostedKey(id: nil), work: .after(milliseconds: 0, event: 1))
        #expect(timer.kind == "after")
    }
}
