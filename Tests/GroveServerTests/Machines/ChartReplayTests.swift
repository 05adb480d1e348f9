import GroveEngine
import GroveProtocol
import GroveServer
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// The stored events of charts, run against another version of the chart.
@Suite("Replay with other charts")
struct ChartReplayTests {
    /// A server in memory with a chart, and a client.
    private final class Served {
        let server: InMemoryServer
        private let connection: ConnectionID
        private var uptime: Int64 = 1_000

        init(_ definitions: String...) throws {
            server = InMemoryServer(
                catalogue: try Catalogue([]), store: MemoryStore(),
                now: Moment(uptime: 1_000, time: Timestamp(milliseconds: 1_763_692_800_123)))
            server.compiler = ChartCompiler.compile
            connection = server.connect()
            for definition in definitions { try define(definition) }
        }

        func ask(_ members: String) throws {
            try server.receive(Array((#"{"id":1,"# + members + "}\n").utf8), from: connection)
            try server.flush()
            let answer = String(decoding: try server.read(connection), as: UTF8.self)
            guard answer.contains(#""ok":true"#) else { throw TestProblem(answer) }
        }

        func define(_ definition: String) throws {
            try ask(#""op":"define","definition":"# + definition)
        }

        func send(_ to: String, _ events: String...) throws {
            for event in events {
                try wait(17)
                try ask(#""op":"send","to":"\#(to)","event":\#(event)"#)
            }
        }

        /// Lets time pass, and fires what is due then.
        func wait(_ milliseconds: Int64) throws {
            uptime += milliseconds
            server.context.now.uptime += milliseconds
            server.context.now.time.milliseconds += milliseconds
            while let due = server.nextDue, due <= server.context.now.time {
                try server.enqueueDue()
                try server.flush()
            }
        }

        /// The machines of the server, with the versions that it still has.
        func catalogue() throws -> Catalogue {
            try Catalogue(compiled: [], stored: server.store.definitions) {
                Issue.record("\($0.machine): \($1)")
            }
        }

        /// The divergences and the replay of all steps with other definitions.
        func replay(
            with others: String...
        ) throws -> (found: [Replay.Divergence], replay: Replay) {
            let catalogue = try catalogue()
            let families = try others.map { text -> [Definition] in
                guard case .definitions(let all, _) = ChartCompiler.compile(Array(text.utf8))
                else { throw TestProblem("a broken definition: \(text)") }
                return all
            }
            var replay = Replay(
                trying: families.isEmpty ? catalogue.all : families.flatMap(\.self),
                over: catalogue)
            var found: [Replay.Divergence] = []
            let store = server.store
            for record in try store.records(after: store.first - 1, limit: .max, bytes: .max) {
                let parent = try record.name.flatMap { try store.instance(named: $0) }?.parent?.name
                if let divergence = replay.replay(record, parent: parent) {
                    found.append(divergence)
                }
            }
            return (found, replay)
        }

        /// The divergences as lines.
        func differences(with others: String...) throws -> [String] {
            var lines: [String] = []
            for other in others { lines += try replay(with: other).found.map(\.line) }
            return lines
        }
    }

    /// An order that is paid in parts.
    private static func order(
        _ version: String, guard condition: String = "event.amount >= context.total",
        paying: String = "paying", more: String = "", emit: String = "paid"
    ) -> String {
        """
        {"id":"order","version":"\(version)","initial":"cart",\(more)
         "context":{"total":0,"luck":0,"at":""},"states":{
         "cart":{"on":{"ADD":{"assign":{"total":"context.total + event.price","luck":"rand",
           "at":"string(now)"}},"CHECKOUT":"\(paying)"}},
         "\(paying)":{"after":{"30m":"late"},"on":{"PAY":{"guard":"\(condition)",
           "target":"done","emit":"\(emit)"}}},
         "late":{"on":{"PAY":"done"}},"done":{"type":"final"}}}
        """.split(separator: "\n").joined(separator: " ")
    }

    /// A server with an order that was paid, one that was too late, and one that waits.
    private static func orders() throws -> Served {
        let served = try Served(order("1.0.0"))
        for name in ["order/paid", "order/late", "order/waits"] {
            try served.send(name, #"{"type":"ADD","price":5}"#, #"{"type":"ADD","price":2}"#)
        }
        try served.send("order/paid", #""CHECKOUT""#, #"{"type":"PAY","amount":7}"#)
        try served.send("order/late", #""CHECKOUT""#)
        try served.wait(3_600_000)
        try served.send("order/late", #"{"type":"PAY","amount":1}"#)
        return served
    }

    @Test func `the same chart replays alike, with its time and random numbers`() throws {
        let served = try Self.orders()
        for others in [[], [Self.order("1.0.0")], [Self.order("2.0.0")]] {
            let (found, replay) =
                try others.isEmpty ? served.replay() : served.replay(with: others[0])
            #expect(found == [])
            // The events of clients, and the timer.
            #expect(replay.steps == 11 && replay.skipped == 0 && replay.obstacles.isEmpty)
        }
        // Each part counts: without the time of then, the context would be another one.
        let other = Self.order("2.0.0").replacing("string(now)", with: "string(now) + '!'")
        #expect(
            try served.differences(with: other).first == "order/paid v1 another state")
    }

    @Test func `steps of a version that was pruned are not replayed, which is no difference`()
        throws
    {
        func chart(_ version: String, _ state: String, from former: [String]) -> String {
            let names = former.map { #""\#($0)":"\#(state)""# }.joined(separator: ",")
            return #"{"id":"ch","version":"\#(version)","initial":"s","context":{"n":0},"#
                + #""migrates":{"states":{\#(names)}},"states":{"s":{"on":{"E":"\#(state)"}},"#
                + #""\#(state)":{"on":{"X":"s","N":{"assign":{"n":"context.n + 1"}}}}}}"#
        }
        let third = chart("3", "c", from: ["a", "b"])
        let served = try Served(chart("1", "a", from: []))
        try served.ask(#""op":"create","to":"ch/keeps""#)
        try served.send("ch/old", #""E""#)
        try served.define(chart("2", "b", from: ["a"]))
        try served.ask(#""op":"create","to":"ch/late""#)
        for name in ["ch/old", "ch/late"] {
            try served.ask(#""op":"migrate","to":"\#(name)","version":"2""#)
        }
        try served.send("ch/old", #""N""#)
        try served.define(third)
        for name in ["ch/old", "ch/late"] {
            try served.ask(#""op":"migrate","to":"\#(name)""#)
            try served.send(name, name == "ch/old" ? #""N""# : #""E""#)
        }
        try served.send("ch/keeps", #""E""#)
        #expect(try served.replay().found == [])
        #expect(try served.differences(with: third) == [])
        try served.ask(#""op":"prune","name":"ch""#)
        #expect(served.server.store.definitions.count == 2, "version 2 is gone")
        var kept = Replay(catalogue: try served.catalogue())
        for record in try served.server.store.records(after: 0, limit: .max, bytes: .max) {
            #expect(kept.replay(record) == nil)
        }
        #expect(kept.skipped > 0 && kept.steps == 2)
        let (found, replay) = try served.replay(with: third)
        #expect(found == [])
        #expect(Array(replay.obstacles.values) == [.noVersion, .noVersion])
    }

    @Test func `a guard leads to another state and to other outputs`() throws {
        let served = try Self.orders()
        let (found, _) = try served.replay(
            with: Self.order("2.0.0", guard: "event.amount > context.total"))
        #expect(found.map(\.line) == ["order/paid v4 another state"])
        let first = try #require(found.first)
        #expect(first.parts == [.state, .outputs, .end])
        let evidence = try #require(first.evidence)
        #expect(evidence.event.map(text) == #"{"type":"PAY","amount":7}"#)
        #expect(text(evidence.stored).hasPrefix(#"{"value":"done""#))
        #expect(evidence.other.map(text)?.hasPrefix(#"{"value":"paying""#) == true)
    }

    @Test func `another output alone is one`() throws {
        let served = try Self.orders()
        let (found, _) = try served.replay(with: Self.order("2.0.0", emit: "settled"))
        #expect(found.map(\.line) == ["order/paid v4 other outputs"])
        #expect(found.first?.evidence?.stored == Array(#"[{"type":"paid"}]"#.utf8))
        #expect(found.first?.evidence?.other == Array(#"[{"type":"settled"}]"#.utf8))
    }

    @Test func `a strict chart refuses events, and the replay continues`() throws {
        let served = try Self.orders()
        let strict = Self.order("2.0.0", more: #""strict":true,"#)
            .replacing(#","CHECKOUT":"paying""#, with: "")
        let (found, replay) = try served.replay(with: strict)
        #expect(
            found.map(\.line) == [
                "order/paid v3 the event is refused", "order/paid v4 the event is refused",
                "order/late v3 the event is refused", "order/late v4 another state",
                "order/late v5 the event is refused",
            ])
        #expect(replay.steps == 11)
        #expect(found.first?.parts == [.refusal, .state])
        #expect(found.first?.reason?.isEmpty == false)
    }

    @Test func `a chart without an end is stopped by its budget`() throws {
        let served = try Self.orders()
        let endless = Self.order("2.0.0").replacing(
            #""late":{"#, with: #""late":{"always":"spin"},"spin":{"always":"late"},"x":{"#)
        let (found, _) = try served.replay(with: endless)
        #expect(found.first?.line == "order/late v4 the event is refused")
        #expect(found.first?.reason?.contains("1000") == true, "\(found.first?.reason ?? "")")
    }

    // MARK: Other names

    @Test func `renamed states differ, unless the definition says how they migrate`() throws {
        let served = try Self.orders()
        let silent = try served.differences(with: Self.order("2.0.0", paying: "billing"))
        #expect(silent.first == "order/paid v3 another state")
        let migrating = Self.order(
            "2.0.0", paying: "billing", more: #""migrates":{"states":{"paying":"billing"}},"#)
        // The timer of the renamed state is its counterpart's.
        #expect(try served.differences(with: migrating) == [])
    }

    @Test func `new members of the context are filled in, for instances that are done too`()
        throws
    {
        let served = try Self.orders()
        let more = Self.order("2.0.0").replacing(
            #""context":{"#, with: #""context":{"currency":"EUR","#)
        #expect(try served.differences(with: more) == [])
        let derived = Self.order("2.0.0").replacing(
            #""context":{"#, with: #""context":{"twice":0,"#
        )
        .replacing(
            #""initial""#,
            with: #""migrates":{"context":{"twice":"context.total * 2"}},"initial""#)
        #expect(try served.differences(with: derived).first == "order/paid v1 another state")
    }

    @Test func `another beginning is seen`() throws {
        let served = try Self.orders()
        let other = Self.order("2.0.0").replacing(#""total":0"#, with: #""total":1"#)
        let lines = try served.differences(with: other)
        // What the definition stands for in the place of a stored state has the stored total.
        #expect(lines.first == "order/paid v0 the machine begins in another state")
        let elsewhere = #"{"id":"order","version":"3","initial":"x","states":{"x":{}}}"#
        #expect(
            try served.differences(with: elsewhere).first
                == "order/paid v0 the machine begins in another state")
    }

    // MARK: What happens to instances

    @Test func `a stored migration is where the other version continues`() throws {
        let served = try Served(Self.order("1.0.0"))
        try served.send(
            "order/a", #"{"type":"ADD","price":5}"#, #""CHECKOUT""#)
        try served.define(
            Self.order(
                "2.0.0", paying: "billing",
                more: #""migrates":{"states":{"paying":"billing"}},"#))
        try served.ask(
            #""op":"migrate","to":"order/a","states":{"paying":"billing"},"#
                + #""context":{"total":"context.total + 4"}"#)
        try served.send("order/a", #"{"type":"PAY","amount":9}"#)
        // By the newest version, which is that of the file.
        let (found, replay) = try served.replay()
        #expect(found == [] && replay.steps == 4)
        let later = Self.order(
            "3.0.0", guard: "event.amount > 9", paying: "billing",
            more: #""migrates":{"states":{"paying":"billing"}},"#)
        #expect(try served.differences(with: later) == ["order/a v4 another state"])
        // Without the names of then, the state before the migration has no counterpart.
        let silent = Self.order("3.0.0", paying: "billing")
        #expect(try served.differences(with: silent) == ["order/a v2 another state"])
    }

    @Test func `an instance with input and an imported one begin where they began`() throws {
        let served = try Served(Self.order("1.0.0"))
        try served.ask(#""op":"create","to":"order/a","input":{"total":9}"#)
        try served.ask(
            #""op":"import","to":"order/b","v":7,"#
                + #""state":{"value":"paying","context":{"total":9,"luck":0,"at":""}}"#)
        for name in ["order/a", "order/b"] {
            try served.send(name, #""CHECKOUT""#, #"{"type":"PAY","amount":9}"#)
        }
        let (found, replay) = try served.replay(with: Self.order("2.0.0"))
        #expect(found == [] && replay.steps == 4 && replay.obstacles.isEmpty)
        #expect(
            try served.differences(with: Self.order("2.0.0", guard: "event.amount < 9")) == [
                "order/a v2 another state", "order/b v9 another state",
            ])
    }

    @Test func `a history without its beginning isn't replayed`() throws {
        let served = try Self.orders()
        let store = served.server.store
        while try served.server.truncate(to: JournalBounds(stepsMax: 2)) {}
        let (found, replay) = try served.replay(with: Self.order("2.0.0"))
        #expect(store.first > 1)
        #expect(found == [] && replay.steps == 0 && replay.skipped > 0)
        #expect(Set(replay.obstacles.values) == [.noBeginning])
    }

    @Test func `stopped and suspended instances are replayed as far as they came`() throws {
        let served = try Served(Self.order("1.0.0"))
        for name in ["order/a", "order/b"] {
            try served.send(name, #"{"type":"ADD","price":5}"#)
            try served.ask(#""op":"suspend","to":"\#(name)""#)
            try served.ask(#""op":"resume","to":"\#(name)""#)
            try served.send(name, #""CHECKOUT""#)
        }
        try served.ask(#""op":"stop","to":"order/b","reason":"enough""#)
        let (found, replay) = try served.replay(with: Self.order("2.0.0"))
        #expect(found == [] && replay.steps == 4)
    }

    // MARK: Children

    private static func trip(_ version: String, hotel: String = "2") -> String {
        #"{"id":"trip","version":"\#(version)","initial":"w","context":{"n":0},"#
            + #""states":{"w":{"invoke":{"id":"k","src":{"machine":{"initial":"a","#
            + #""context":{"n":\#(hotel)},"states":{"a":{"entry":{"send":{"event":"hello","#
            + #""to":"parent"}},"on":{"GO":"b"}},"b":{"type":"final","#
            + #""output":{"n":"context.n"}}}}},"onDone":{"target":"d","#
            + #""assign":{"n":"event.output.n"}}},"on":{"hello":{"emit":"greeted"}}},"d":{}}}"#
    }

    @Test func `inline machines and the results of children are replayed`() throws {
        let served = try Served(Self.trip("1"))
        try served.send("trip/a", #""start""#)
        while served.server.hasBackgroundWork { try served.server.work() }
        try served.wait(10)
        let child = try #require(
            try served.server.store.instances(prefix: "trip.inline-1/", after: nil, limit: 2).first)
        try served.send(child.name.text, #""GO""#)
        try served.wait(10)
        let (found, replay) = try served.replay(with: Self.trip("2"))
        #expect(found == [])
        #expect(replay.steps == 4, "\(replay.steps)")
        let other = try served.differences(with: Self.trip("2", hotel: "3"))
        #expect(other.contains("\(child.name) v0 the machine begins in another state"))
    }

    @Test func `a machine that isn't tried is left out`() throws {
        let served = try Self.orders()
        let (found, replay) = try served.replay(with: Self.trip("1"))
        #expect(found == [] && replay.steps == 0)
        #expect(Set(replay.obstacles.values) == [.noMachine] && replay.obstacles.count == 3)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension Replay.Divergence {
    fileprivate var line: String { "\(instance) v\(version) \(what)" }
}
