import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

@Suite("describe")
struct DescribeTests {
    /// Describes only the names of its states.
    private enum Door: Transducer, InitialState {
        enum State: Terminable, Codable, Sendable {
            case open, closed, locked(by: String), gone
            var isTerminal: Bool { if case .gone = self { true } else { false } }
        }
        enum Event: Codable, Sendable { case close, lock(String), look, burn }
        static var initialState: State { .open }
        static func update(_ state: inout State, event: Event) {
            switch event {
            case .close: state = .closed
            case .lock(let name): state = .locked(by: name)
            case .look: break
            case .burn: state = .gone
            }
        }
    }

    /// Describes a machine as data is described: by nothing but what is passed.
    private struct Table: MachineDescriber {
        let readsDataOnly = true

        func describe(in state: [UInt8]?) -> MachineDescription {
            var description = MachineDescription()
            description.observe(initial: state?.text ?? "none")
            return description
        }

        func stateName(_ json: [UInt8]) -> String? { json.text }
    }

    private func harness() throws -> EngineHarness {
        let door = Definition(Door.self, named: "door", version: "1")
        let table = Definition(
            name: "table", version: "1", stateHasNames: true, machine: door.machine,
            describer: Table())
        return try EngineHarness([door, table])
    }

    private func describe(
        _ harness: EngineHarness, _ name: String, _ format: Describe.Format = .mermaid
    ) throws -> Reply.Described {
        let reply = try harness.ask(.describe(Describe(.machine(name), format: format)))
        guard case .described(let described) = reply else { throw Problem(reply.summary) }
        return described
    }

    @Test func `describe draws a machine's description in both formats`() throws {
        let harness = try harness()
        let mermaid = try describe(harness, "turnstile")
        #expect(mermaid.definition.version == "1.0.0" && mermaid.definition.hash != nil)
        #expect(mermaid.diagram.hasPrefix("stateDiagram-v2\n"))
        #expect(mermaid.diagram.contains("s0 --> s1 : COIN"))
        #expect(try describe(harness, "turnstile", .dot).diagram.hasPrefix("digraph"))
    }

    @Test func `describe knows the cases of a machine without a description or steps`() throws {
        let described = try describe(harness(), "door")
        #expect(described.machine.states == ["open", "closed", "locked", "gone"])
        #expect(described.machine.events == ["close", "lock", "look", "burn"])
        #expect(described.machine.transitions.isEmpty && described.machine.initial == nil)
        let takes = try #require(described.takes)
        #expect(takes.map(\.event.name) == ["close", "lock", "look", "burn"])
        #expect(takes[1].event.members.map(\.expected) == ["a string"])
    }

    @Test func `describe marks the events that only the machine sends`() throws {
        let takes = try #require(try describe(harness(), "order").takes)
        let internals = takes.filter(\.isInternal).map(\.event.name)
        #expect(internals == ["expire", "charged", "parcel", "failed"])
    }

    @Test func `describe shows observed steps`() throws {
        let harness = try harness()
        _ = try harness.send("door/a", #""close""#)
        _ = try harness.send("door/a", #""look""#)
        _ = try harness.send("door/a", #"{"type":"lock","value":"me"}"#)
        _ = try harness.send("door/b", #""burn""#)
        _ = try harness.send("counter/c", #""increment""#)
        let reply = try harness.ask(.describe(Describe(.machine("door"), format: .mermaid)))
        #expect(
            reply.summary == "open-close->closed seen, closed-look->closed seen, "
                + "closed-lock->locked seen, open-burn->gone seen")
        let machine = try describe(harness, "door").machine
        #expect(machine.states == ["open", "closed", "locked", "gone"])
        #expect(machine.events.sorted() == ["burn", "close", "lock", "look"])
        #expect(machine.terminal == ["gone"] && machine.initial == "open")
    }

    @Test func `describe finds the state before its oldest step`() throws {
        let harness = try harness()
        _ = try harness.send("door/old", #""close""#)
        for _ in 0..<Limits.describedStepsMax {
            try harness.receive(harness.makeSend("counter/c", #""increment""#))
        }
        _ = try harness.flush()
        #expect(try describe(harness, "door").machine.transitions.isEmpty, "that was long ago")
        _ = try harness.send("door/old", #""burn""#)
        let seen = try describe(harness, "door").machine
        #expect(seen.transitions.map(\.from) == ["closed"] && seen.terminal == ["gone"])
    }

    @Test func `describe reads about a mebibyte of the newest steps`() throws {
        let harness = try EngineHarness(
            testDefinitions + [Definition(Door.self, named: "door", version: "1")])
        _ = try harness.send("door/a", #""close""#)
        for _ in 0..<60 { _ = try harness.send("counter/c", #""increment""#) }
        #expect(try describe(harness, "door").machine.transitions.map(\.event) == ["close"])
        for bytes in 0..<60 {
            _ = try harness.send("quiet/a", #"{"type":"grow","value":\#(40_000 + bytes)}"#)
        }
        #expect(
            try describe(harness, "door").machine.transitions.isEmpty, "large ones came since")
    }

    @Test func `describe looks up the state before for a bounded number of instances`() throws {
        /// Whether the arrow of the last of many doors is found, all of which were closed long
        /// ago.
        func knowsLast(of doors: Int) throws -> Bool {
            let harness = try harness()
            func take(_ name: String, _ event: String) throws {
                try harness.receive(harness.makeSend(name, event))
            }
            for door in 1...doors { try take("door/\(door)", #""close""#) }
            for _ in 0..<Limits.describedStepsMax { try take("counter/c", #""increment""#) }
            for door in 1..<doors { try take("door/\(door)", #""look""#) }
            try take("door/\(doors)", #""burn""#)
            _ = try harness.flush()
            return try describe(harness, "door").machine.transitions.contains {
                $0.event == "burn"
            }
        }
        #expect(try knowsLast(of: Limits.describedLookupsMax))
        #expect(try !knowsLast(of: Limits.describedLookupsMax + 1))
    }

    @Test func `describe shows only committed data`() throws {
        let harness = try harness()
        try harness.receive(harness.makeSend("door/a", #""close""#))
        try harness.receive(.describe(Describe(.machine("door"), format: .mermaid)))
        guard case .described(let described)? = try harness.flush().replies.last?.reply else {
            throw Problem("no description")
        }
        #expect(described.machine.transitions.isEmpty)
    }

    @Test func `describe refuses a machine that isn't hosted`() throws {
        let harness = try harness()
        let reply = try harness.ask(.describe(Describe(.machine("window"), format: .dot)))
        #expect(reply.summary == #"noSuchMachine("window")"#)
    }

    @Test func `describe skips deleted instances, and long histories don't delay it`() throws {
        let harness = try harness()
        _ = try harness.send("door/a", #""close""#)
        _ = try harness.ask(.delete(harness.instance("door/a")))
        while try harness.store.purge() {}
        _ = try harness.send("door/a", #""burn""#)
        #expect(try describe(harness, "door").machine.states.contains("gone"))
    }

    // MARK: Made later

    @Test func `a description of data is made later, of the state at its request`() throws {
        let harness = try harness()
        _ = try harness.send("table/a", #""close""#)
        let subject = HoldSubject.instance(try harness.instance("table/a"))
        try harness.receive(harness.makeSend("table/a", #"{"type":"lock","value":"me"}"#))
        try harness.receive(.describe(Describe(subject, format: .mermaid)))
        try harness.receive(harness.makeSend("table/a", #""burn""#))
        var ready = try harness.flush()
        let taken = ready.takeDescriptions()
        let others = ready.takeDescriptions()
        #expect(taken.count == 1 && others.isEmpty && ready.replies.count == 2)
        let pending: PendingDescription = try #require(taken.first)
        #expect(pending.connection == EngineHarness.connection)
        let made = pending.made { Array($0.machine.states.joined().utf8) }
        #expect(made.replies.map(\.reply.summary) == [#"{"type":"locked","by":"me"}"#])
        #expect(pending.abandoned.replies.first?.reply.summary.hasPrefix("timeout") == true)
        // Without a thread it can be sent as it is.
        let reply = try harness.ask(.describe(Describe(.machine("table"), format: .dot)))
        guard case .describing(let describing) = reply else { throw Problem(reply.summary) }
        #expect(describing.described.diagram.hasPrefix("digraph"))
    }

    @Test func `a description of a lost batch is one of the committed state`() throws {
        let store = FullStore(MemoryStore())
        let harness = try EngineHarness(
            [
                Definition(
                    name: "table", version: "1", stateHasNames: true,
                    machine: Definition(Door.self, named: "door", version: "1").machine,
                    describer: Table())
            ], store: store)
        _ = try harness.send("table/a", #""close""#)
        store.isFull = true
        try harness.receive(harness.makeSend("table/a", #""burn""#))
        let subject = HoldSubject.instance(try harness.instance("table/a"))
        try harness.receive(.describe(Describe(subject, format: .mermaid)))
        var ready = try harness.flush()
        let pending = ready.takeDescriptions()
        let made = try #require(pending.first).made { Array($0.machine.states.joined().utf8) }
        #expect(made.replies.map(\.reply.summary) == [#""closed""#])
        #expect(ready.replies.map(\.reply.summary) == ["storageFull"])
    }

    @Test func `descriptions that are made at the same time are bounded`() throws {
        let harness = try harness()
        func mustWait(_ connection: UInt64) -> Bool {
            harness.engine.mustWait(
                Request(
                    connection: ConnectionID(connection), token: 1,
                    operation: .describe(Describe(.machine("table"), format: .dot))))
        }
        for _ in 0..<Limits.descriptionsPerConnectionMax {
            #expect(!mustWait(1))
            harness.engine.beginDescription(of: ConnectionID(1))
        }
        #expect(mustWait(1) && !mustWait(2))
        for count in Limits.descriptionsPerConnectionMax..<Limits.descriptionsMax {
            #expect(!mustWait(99))
            harness.engine.beginDescription(of: ConnectionID(UInt64(100 + count)))
        }
        #expect(mustWait(99) && mustWait(2))
        harness.engine.endDescription(of: ConnectionID(77))
        #expect(mustWait(99), "nobody has asked for that one")
        harness.engine.endDescription(of: ConnectionID(1))
        #expect(!mustWait(99) && !mustWait(1))
    }

    @Test func `descriptions that begin with the batch count as well`() {
        var counts = DescriptionCounts()
        let connection = ConnectionID(1)
        counts.begin(of: connection)
        let most = Limits.descriptionsPerConnectionMax
        #expect(!counts.isFull(for: connection, besides: most - 2))
        #expect(counts.isFull(for: connection, besides: most - 1))
        #expect(!counts.isFull(for: ConnectionID(2), besides: most - 1))
        counts.end(of: connection)
        #expect(counts.isEmpty && !counts.isFull(for: connection, besides: 0))
    }

    @Test func `a batch has few descriptions`() throws {
        let harness = try harness()
        let requests = (UInt32(0)..<10).map {
            Request(
                connection: EngineHarness.connection, token: $0,
                operation: .describe(Describe(.machine("door"), format: .dot)))
        }
        var place = 0
        var batches: [Int] = []
        while place < requests.count {
            let before = place
            try harness.engine.receive(
                requests[...], from: &place, at: harness.now, store: harness.store)
            batches.append(place - before)
            #expect(try harness.flush().replies.count == place - before)
        }
        #expect(batches == [4, 4, 2] && Limits.descriptionsPerBatch == 4)
    }
}
