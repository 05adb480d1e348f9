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

    private func harness() throws -> EngineHarness {
        try EngineHarness([Definition(Door.self, named: "door", version: "1")])
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
}
