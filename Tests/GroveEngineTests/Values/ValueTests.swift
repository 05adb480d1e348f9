import GroveTestSupport
import GroveWire
import Testing
import Transducers

@testable import GroveEngine

@Suite("names and rows")
struct ValueTests {
    @Test(arguments: [
        "a/b", "Counter.v2_x-1/o-1", "a/._:@~+=,-", "a/0",
    ])
    func `names that fit the grammar`(name: String) throws {
        let parsed = try #require(InstanceName(name))
        #expect("\(parsed.machine)/\(parsed.instance)" == name)
    }

    @Test(arguments: [
        "", "a", "/", "a/", "/b", "1a/b", "a/b/c", "a b/c", "a/b c", "ä/b", "a/é", "a/b\n", "-a/b",
        "a/b*", "a/\u{0}",
    ])
    func `names that don't fit the grammar`(name: String) { #expect(InstanceName(name) == nil) }

    @Test func `names have bounds`() {
        let machine = String(repeating: "m", count: 64)
        let instance = String(repeating: "i", count: 200)
        #expect(InstanceName("\(machine)/\(instance)") != nil)
        #expect(InstanceName("\(machine)m/\(instance)") == nil)
        #expect(InstanceName("\(machine)/\(instance)i") == nil)
    }

    static func randomRecord(_ random: inout SeededRandom) -> JournalRecord {
        let kinds: [JournalRecord.Kind] = [.erased, .created, .step, .stopped, .deleted]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        let sequence = Int64.random(in: 2...1 << 40, using: &random)
        var record = JournalRecord(sequence: sequence, kind: kind)
        guard kind != .erased else { return record }
        func bytes() -> [UInt8] {
            (0..<Int.random(in: 0...300, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
        }
        record.name = InstanceName("machine/x")
        record.number = InstanceNumber(.random(in: 0...1 << 50, using: &random))
        record.version = .random(in: 0...1 << 50, using: &random)
        record.at = Timestamp(milliseconds: .random(in: 0...1 << 45, using: &random))
        record.previous = .random(in: 0..<sequence, using: &random)
        record.skip = .random(in: 0..<sequence, using: &random)
        record.isDone = .random(using: &random)
        if Bool.random(using: &random) { record.event = bytes() }
        if Bool.random(using: &random) { record.dedup = bytes() }
        if Bool.random(using: &random) { record.reason = "because é" }
        if Bool.random(using: &random) { record.definitionVersion = "1.10-é" }
        if Bool.random(using: &random) { record.by = .random(in: 1...9_000, using: &random) }
        if Bool.random(using: &random) {
            let bytes = (0..<25).map { _ in UInt8.random(in: 1...255, using: &random) }
            record.trace = TraceParent(encoded: bytes)
        }
        if kind == .effect { record.beforeEffects = .random(in: 0..<sequence, using: &random) }
        record.outputs = (0..<Int.random(in: 0...3, using: &random)).map {
            JournalRecord.Output(type: $0 == 0 ? nil : "t\($0)", data: bytes())
        }
        if Bool.random(using: &random) {
            record.state = bytes()
            record.stateAt = sequence
        } else {
            record.stateAt = .random(in: 0..<sequence, using: &random)
        }
        return record
    }

    @Test func `journal steps survive their bytes, and no other bytes trap`() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            let record = ValueTests.randomRecord(&random)
            var bytes: [UInt8] = []
            record.encode(into: &bytes)
            let read = try bytes.withUnsafeBytes {
                try JournalRecord(decoding: $0, sequence: record.sequence)
            }
            #expect(read == record)
            for end in 0..<bytes.count {
                #expect(throws: StoreError.self) {
                    try bytes[..<end].withUnsafeBytes {
                        _ = try JournalRecord(decoding: $0, sequence: record.sequence)
                    }
                }
            }
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                1
                << UInt8.random(
                    in: 0...7, using: &random)
            // Any result is right, as long as there is one.
            _ = try? bytes.withUnsafeBytes {
                try JournalRecord(decoding: $0, sequence: record.sequence)
            }
        }
    }

    @Test func `a small state doesn't keep the memory of a large one`() throws {
        let name = try #require(InstanceName("counter/a"))
        var large = StoredInstance(number: InstanceNumber(1), name: name)
        var small = StoredInstance(number: InstanceNumber(2), name: name)
        large.state = [UInt8](repeating: 0x78, count: 1 << 20)
        var buffer = [UInt8](repeating: 0x79, count: 1 << 20)
        for round in UInt8(0)..<4 {
            var record = JournalRecord(sequence: 1, kind: .step)
            large.apply(&buffer, result: nil, into: &record)
            buffer.removeAll(keepingCapacity: true)
            buffer.append(contentsOf: [round, round])
            small.apply(&buffer, result: nil, into: &record)
            #expect(small.state == [round, round])
            #expect(small.state.capacity < 256)
            buffer.append(contentsOf: [UInt8](repeating: round, count: 1 << 20))
        }
    }

    @Test func `bytes are equal only if each of them is`() {
        for count in 0...40 {
            let bytes = (0..<count).map { UInt8($0) }
            #expect(bytes.hasSameBytes(as: bytes.map { $0 }))
            #expect(!bytes.hasSameBytes(as: bytes + [0]))
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 0x80
                #expect(!bytes.hasSameBytes(as: other))
            }
        }
    }

    @Test func `snapshots survive their bytes`() throws {
        let name = try #require(InstanceName("counter/a"))
        var stored = StoredInstance(number: InstanceNumber(7), name: name)
        stored.definitionVersion = "1.0.0"
        stored.version = 1 << 40
        stored.created = Timestamp(milliseconds: 5)
        stored.updated = Timestamp(milliseconds: 6)
        stored.origin = 3
        stored.newest = 1 << 41
        stored.stateAt = 9
        stored.skips = [1, 2, 3]
        stored.hasDedup = true
        stored.isDone = true
        stored.result = Array("7".utf8)
        stored.state = Array("{}".utf8)
        var bytes: [UInt8] = []
        stored.encode(into: &bytes)
        let read = try bytes.withUnsafeBytes {
            try StoredInstance(decoding: $0, number: InstanceNumber(7), name: name)
        }
        #expect(read == stored)
        let newest = try bytes.withUnsafeBytes { try StoredInstance.newest(decoding: $0) }
        #expect(newest == stored.newest)
        for end in 0..<bytes.count {
            #expect(throws: StoreError.self) {
                try bytes[..<end].withUnsafeBytes {
                    _ = try StoredInstance(decoding: $0, number: stored.number, name: name)
                }
            }
        }
    }

    @Test func `a catalogue refuses invalid and duplicate names`() {
        let counter = testDefinitions[0]
        #expect(throws: CatalogueError.duplicateName("chain")) {
            try Catalogue([counter, counter])
        }
        let bad = Definition(
            name: "no/name", version: "1", stateHasNames: false, machine: counter.machine)
        #expect(throws: CatalogueError.invalidName("no/name")) { try Catalogue([bad]) }
        let error = #expect(throws: CatalogueError.self) {
            try Catalogue([Definition(Mislabelled.self, named: "bad", version: "1")])
        }
        #expect(error.map { "\($0)" }?.hasPrefix("machine bad: the event \"add\" has a") == true)
    }

    @Test func `a refusal has a short reason for the effect's sender`() throws {
        let name = try #require(InstanceName("order/o-1"))
        let said: [(Failure, String)] = [
            (.noSuchMachine("order"), "there is no machine order"),
            (.noSuchInstance(name), "there is no instance order/o-1"),
            (.instanceDone(name, version: 3), "order/o-1 is done"),
            (
                .badEvent(path: "$.x", message: "m", expected: nil),
                "the event doesn't fit: m at $.x"
            ),
            (.internalEvent("expire"), "only the machine sends the event expire"),
            (.stateTooLarge(bytes: 9, max: 8), "the state would have 9 of 8 bytes"),
            (.storageFull, "it was refused"),
        ]
        for (failure, words) in said { #expect(failure.summary == words) }
    }
}

/// A machine whose event can't be read from JSON.
private enum Mislabelled: Transducer, InitialState {
    struct State: NonTerminal, Codable, Sendable {}
    enum Event: Codable, Sendable { case add(type: Int) }
    static var initialState: State { State() }
    static func update(_ state: inout State, event: Event) -> Int { 0 }
}
