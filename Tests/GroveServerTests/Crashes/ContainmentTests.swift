import BuiltInMachines
import Foundation
import Glibc
import GroveEngine
import GroveTestSupport
import Logging
import OrderedJSON
import Testing
import Transducers

@testable import GroveServer

@Suite("the start after a trap")
struct ContainmentTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("data-crash")
    }

    /// Leaves the crash file of a run that ended in a trap of this instance.
    private func leaveTrap(of name: String, knowing log: CrashLog) throws {
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: 4_096, alignment: 8)
        defer { bytes.deallocate() }
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 4_096)
        let name = try #require(InstanceName(name))
        CrashSlot(bytes).begin(
            name, effectNumber: 0, event: UnsafeRawBufferPointer(start: nil, count: 0))
        CrashSlot.record(signal: SIGILL, in: bytes)
        let page = Data(bytes: bytes, count: 4_096)
        try (page + Data(log.encoded())).write(to: URL(filePath: path))
    }

    private func open(_ faults: TestStore.Faults) async throws -> EngineLoop {
        let path = path
        return try await open(
            StoreSource(
                name: "test",
                open: { () throws(StoreOpenError) -> any Store in TestStore(faults) },
                crashPath: { _ in path }))
    }

    private func open(_ source: StoreSource, version: String = "1") async throws -> EngineLoop {
        let loop = EngineLoop(
            source: source, retention: RetentionOptions(), log: Logger(label: "test"),
            fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue([Definition(Tick.self, named: "counter", version: version)]),
            options: EngineOptions())
        return loop
    }

    private func log() throws -> CrashLog {
        let bytes = try Data(contentsOf: URL(filePath: path))
        return CrashLog.decoded(Array(bytes.dropFirst(4_096)))
    }

    private func known(_ name: String, version: String = "1") -> CrashLog {
        var log = CrashLog()
        log.machines = ["counter": version]
        log.entries = [CrashLog.Entry(name: name, version: version, count: 1)]
        return log
    }

    @Test(arguments: [false, true])
    func `the second trap sets aside, also where the disk is full`(isFull: Bool) async throws {
        let faults = TestStore.Faults()
        try leaveTrap(of: "counter/a", knowing: known("counter/a"))
        if isFull { faults.fail(.full) }
        let loop = try await open(faults)
        let containment = try #require(await loop.heartbeat())
        let name = try #require(InstanceName("counter/a"))
        #expect(containment.trapped == [.instance(name)] && containment.setAside == 1)
        // On a full disk the next start must recognize the trap by its count.
        #expect(try log().entries.map(\.count) == (isFull ? [2] : []))
        faults.fail(nil)
        try await loop.close()
    }

    @Test(
        arguments: [
            [], [1, 2, 3], Array(repeating: 0xFF, count: 4_096),
            Array(repeating: 0x41, count: 500_000),
        ] as [[UInt8]])
    func `an invalid crash file has no meaning, and is made again`(bytes: [UInt8]) async throws {
        try Data(bytes).write(to: URL(filePath: path))
        let loop = try await open(TestStore.Faults())
        #expect(await loop.heartbeat()?.trapped == [])
        #expect(try log().machines["counter"] != nil)
        try await loop.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(arguments: [false, true])
    func `another version releases the holds that the disk has room to remove`(
        isFull: Bool
    ) async throws {
        let path = path
        let faults = TestStore.Faults()
        let subject = HoldSubject.instance(try #require(InstanceName("counter/a")))
        let source = StoreSource(
            name: "test",
            open: { () throws(StoreOpenError) -> any Store in
                let store = TestStore(faults)
                var writes = WriteSet(firstSequence: 1)
                writes.holds[subject] = .some(
                    Hold(
                        kind: .setAside, since: Timestamp(milliseconds: 1),
                        definitionVersion: "0.1"))
                do throws(StoreError) {
                    try store.commit(writes)
                } catch {
                    throw .inputOutput("\(error)")
                }
                if isFull { faults.fail(.full) }
                return store
            }, crashPath: { _ in path })
        let log = KeptLog()
        let loop = EngineLoop(
            source: source, retention: RetentionOptions(), log: log.logger(), fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions), options: EngineOptions())
        #expect(await loop.heartbeat()?.trapped == (isFull ? [subject] : []))
        #expect(log.lines(with: "goes on with another version").count == (isFull ? 0 : 1))
        #expect(log.lines(with: "stays set aside, because the disk").count == (isFull ? 1 : 0))
        faults.fail(nil)
        try await loop.close()
    }

    /// A receiver that ignores everything.
    private struct Deaf: ReadyReceiver {
        func receive(_ ready: Ready, of commit: CommitStats?) {}
        func receive(_ told: @escaping @Sendable () -> Void) { told() }
        func receive(_ heartbeat: EngineHeartbeat) {}
    }

    private static func options() -> EngineOptions {
        var options = EngineOptions()
        options.handlers["http"] = HandlerTraits(concurrencyMax: 4)
        return options
    }

    /// Returns the store of a run that ended while a charge was running.
    private static func storeWithCharge() throws -> any Store {
        let store = MemoryStore()
        let catalogue = try Catalogue(BuiltInMachines.definitions)
        var engine = Engine(catalogue: catalogue, store: store, options: options())
        guard let name = InstanceName("order/o"), let machine = catalogue["order"]?.machine else {
            throw TestProblem("there is no such machine")
        }
        let events: [JSONValue] = [
            ["type": "place", "total": 3], ["type": "charge", "url": "https://pay"],
        ]
        for event in events {
            let send = Send(
                to: name, event: .decoded(try machine.decodeEvent(event)),
                eventText: event.serialized())
            let now = Timestamp(milliseconds: 1)
            try engine.receive(
                Request(connection: ConnectionID(1), token: 1, operation: .send(send)), at: now,
                store: store)
            _ = try engine.flush(to: store, at: now)
        }
        return store
    }

    @Test(.timeLimit(.minutes(1)))
    func `running handlers' effects continue after the opening commit`() async throws {
        let version = try #require(Catalogue(BuiltInMachines.definitions)["counter"]?.version)
        try leaveTrap(of: "counter/a", knowing: known("counter/a", version: version))
        let path = path
        let source = StoreSource(
            name: "test",
            open: { () throws(StoreOpenError) -> any Store in
                do {
                    return try Self.storeWithCharge()
                } catch {
                    throw .inputOutput("\(error)")
                }
            }, crashPath: { _ in path })
        let loop = EngineLoop(
            source: source, retention: RetentionOptions(), log: Logger(label: "test"),
            fatal: { _ in })
        _ = try await loop.open(
            catalogue: Catalogue(BuiltInMachines.definitions), options: Self.options())
        let (calls, caller) = AsyncStream.makeStream(of: String.self)
        var handlers = EffectHandlers()
        handlers.register("http") { (_: JSONValue, context) -> JSONValue in
            caller.yield(context.instance ?? "")
            return .null
        }
        await loop.start(Deaf(), handlers: handlers)
        var iterator = calls.makeAsyncIterator()
        #expect(await iterator.next() == "order/o")
        await loop.stopEffects(grace: .seconds(5))
        try await loop.close()
    }

    @Test func `a trap of another version, or of a removed machine, sets nothing aside`()
        async throws
    {
        for name in ["counter/a", "gone/a"] {
            var log = known(name)
            log.machines = ["counter": "0.1", "gone": "1"]
            log.entries = [CrashLog.Entry(name: name, version: "1", count: 1)]
            try leaveTrap(of: name, knowing: log)
            let loop = try await open(TestStore.Faults())
            #expect(await loop.heartbeat()?.trapped == [])
            try await loop.close()
        }
    }

    @Test func `another version releases a hold, also without a crash file`()
        async throws
    {
        let source = StoreSource.file(folder.path("data"))
        try leaveTrap(of: "counter/a", knowing: known("counter/a"))
        var loop = try await open(source)
        #expect(await loop.heartbeat()?.trapped.count == 1)
        try await loop.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        loop = try await open(source)
        #expect(await loop.heartbeat()?.trapped.count == 1)
        try await loop.close()
        loop = try await open(source, version: "2")
        #expect(await loop.heartbeat()?.trapped == [])
        try await loop.close()
    }
}

/// A machine that counts.
private enum Tick: Transducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var count = 0 }
    enum Event: String, Codable, Sendable, CaseIterable { case tick }
    static let initialState = State()
    static func update(_ state: inout State, event: Event) -> Int {
        state.count += 1
        return state.count
    }
}
