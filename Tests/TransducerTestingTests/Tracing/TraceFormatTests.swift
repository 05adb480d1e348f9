import Testing
import TransducerTesting
import Transducers

@Suite("TraceFormat")
struct TraceFormatTests {
    typealias Record = TraceRecord<Counter>

    let before = Counter.State(count: 1, name: "c")

    func applied(_ event: Counter.Event, _ after: Counter.State, output: Int = 7) -> Record {
        .applied(event, before: before, after: after, output: output)
    }

    func lines(
        _ format: TraceFormat, for event: Counter.Event = .add(amount: 5), count: Int = 6
    ) -> [String] {
        format.lines(for: applied(event, Counter.State(count: count, name: "c")))
    }

    @Test func `by default, names of events, changes of states, and outputs`() {
        #expect(
            lines(TraceFormat()) == [
                "event: add(amount:)",
                "state:",
                "      Counter.State(",
                "    -   count: 1,",
                "    +   count: 6,",
                "        name: \"c\"",
                "      )",
                "output: 7",
            ])
    }

    @Test func `a step without change prints (no diff)`() {
        #expect(
            lines(TraceFormat(), for: .increment, count: 1) == [
                "event: increment", "state: (no diff)", "output: 7",
            ])
    }

    @Test func `every line begins with the name`() {
        let format = TraceFormat(name: "till", output: nil)
        #expect(lines(format).allSatisfy { $0.hasPrefix("[till] ") })
        #expect(lines(format).count == 7)
    }

    @Test func `simple: the state before, on one line`() {
        #expect(
            lines(TraceFormat(state: .simple, output: .simple)) == [
                "event: add(amount:)", "state: Counter.State(count: 1, name: \"c\")",
                "output: Int",
            ])
    }

    @Test func `all: everything, or down to a depth`() {
        #expect(
            lines(TraceFormat(event: .all(), state: .all(), output: nil)) == [
                "event: Counter.Event.add(amount: 5)",
                "state:",
                "    Counter.State(",
                "      count: 1,",
                "      name: \"c\"",
                "    )",
            ])
        #expect(
            lines(TraceFormat(event: .all(depth: 0), state: .all(depth: 0), output: nil)) == [
                "event: Counter.Event.add(amount: 5)", "state: Counter.State(…)",
            ])
    }

    @Test func `nil isn't written`() {
        #expect(lines(TraceFormat(event: nil, state: nil, output: nil)) == [])
        #expect(lines(TraceFormat(event: nil, output: nil), count: 1) == ["state: (no diff)"])
    }

    @Test func `silent outputs and Void aren't written`() {
        let door = TraceRecord<Door>.applied(
            .ring, before: .open, after: .open, output: .none)
        #expect(TraceFormat(state: nil).lines(for: door) == ["event: ring"])
        enum Mute: Transducer {
            enum State: NonTerminal { case mute }
            enum Event: Sendable { case anything }
            static func update(_ state: inout State, event: Event) {}
        }
        let mute = TraceRecord<Mute>.applied(
            .anything, before: .mute, after: .mute, output: ())
        #expect(TraceFormat(state: nil).lines(for: mute) == ["event: anything"])
    }

    @Test(arguments: [
        (Counter.Event.increment, "increment"), (.add(amount: 1), "add(amount:)"),
        (.rename("x"), "rename(_:)"),
    ])
    func `names have labels and no values`(event: Counter.Event, name: String) {
        #expect(lines(TraceFormat(state: nil, output: nil), for: event) == ["event: \(name)"])
    }

    @Test func `several labels are all there`() {
        enum Pair: Transducer {
            enum State: NonTerminal { case only }
            enum Event: Sendable { case both(first: Int, Int, last: [Int]) }
            static func update(_ state: inout State, event: Event) {}
        }
        let record = TraceRecord<Pair>.applied(
            .both(first: 1, 2, last: [3]), before: .only, after: .only, output: ())
        #expect(
            TraceFormat(state: nil).lines(for: record) == ["event: both(first:_:last:)"])
    }

    @Test func `a refusal is written with its reason`() {
        let record = Record.refused(
            .add(amount: 101), state: before, error: Rejection("too much"))
        #expect(
            TraceFormat().lines(for: record) == [
                "refused: add(amount:)", "reason: too much",
            ])
        #expect(
            TraceFormat(state: .simple).lines(for: record) == [
                "refused: add(amount:)", "reason: too much",
                "state: Counter.State(count: 1, name: \"c\")",
            ])
        #expect(TraceFormat(event: nil).lines(for: record) == [])
    }

    @Test func `effects are written with id and number`() {
        let run = EffectRunID(3)
        let key = EffectKey("poll")
        let failure = EffectFailure(id: nil, error: Counter.Broken())
        let records: [Record] = [
            .effectStarted(run, key), .effectEnded(run, key), .effectCancelled(run, key),
            .effectFailed(run, failure), .staleEvent(.increment, run),
        ]
        #expect(
            records.flatMap { TraceFormat().lines(for: $0) } == [
                "effect poll, run 3: started", "effect poll, run 3: ended",
                "effect poll, run 3: cancelled", "effect, run 3: failed: Broken()",
                "stale: increment, of run 3",
            ])
        #expect(
            records.flatMap { TraceFormat(event: nil, effects: false).lines(for: $0) } == [])
    }
}
