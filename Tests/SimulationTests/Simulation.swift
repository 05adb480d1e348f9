import BuiltInMachines
import GroveEngine
import GroveProtocol
import GroveTestSupport
import GroveWire

/// One run of a server with clients, subscribers and faults. Everything is drawn from one seed, so
/// the same seed gives the same run, byte by byte.
final class Simulation {
    /// The options of one run. In most runs most faults are off, and in some one is very frequent.
    struct Plan {
        var clients: Int
        var subscribers: Int
        var pipelining: Int
        var instances: Int
        var wishesEach: Int
        var faults = StoreFaults()
        var crashes = 0
        var disconnects = 0
        var pieceBytesMax: Int
        var limits = ServerLimits()
        var options = EngineOptions()
        /// The number of steps that the journal keeps; 0 for all.
        var keepSteps = 0
        /// The number of steps that the journal keeps of counters; 0 for all.
        var keepCounterSteps = 0

        init(_ random: inout SeededRandom) {
            clients = 1 + random.below(8)
            subscribers = random.below(4)
            pipelining = 1 + random.below(16)
            instances = 1 + random.below(4)
            wishesEach = 5 + random.below(100) / clients
            faults.full = random.pick([0, 0, 0, 50, 400])
            faults.unknown = random.pick([0, 0, 20, 60])
            crashes = random.pick([0, 0, 2, 10])
            disconnects = random.pick([0, 0, 10, 40])
            pieceBytesMax = random.pick([7, 60, 400, 10_000])
            limits.inflightMax = random.pick([1, 4, 1_024])
            limits.pendingBytesMax = random.pick([2_000, 10_000, 8 << 20])
            options.residentInstancesMax = random.pick([1, 65_536])
            options.queueRequestsMax = random.pick([2, 65_536])
            keepSteps = random.pick([0, 0, 0, 1, 5, 30])
            keepCounterSteps = random.pick([0, 0, 1, 7, 25])
        }
    }

    /// The result of a run.
    struct Outcome {
        var faults = 0
        var acks = 0
        var journal = Digest()
        var bytes = Digest()
    }

    private var random: SeededRandom
    private let plan: Plan
    private var store: SimulatedStore
    private var server: InMemoryServer
    private let catalogue: Catalogue
    private var clients: [SimulatedClient] = []
    private var subscribers: [SimulatedSubscriber] = []
    private var history = History()
    private var bytes = Digest()
    private var faults = 0
    private var now = Moment(uptime: 0, time: Timestamp(milliseconds: 1_763_692_800_000))

    private let tamper: ((Request) -> [Request])?

    init(
        seed: UInt64, store kind: SimulatedStore.Type = SimulatedStore.self,
        tamper: ((Request) -> [Request])? = nil
    ) throws {
        self.tamper = tamper
        random = SeededRandom(seed: seed)
        plan = Plan(&random)
        store = try kind.make(seed: random.next())
        store.faults = plan.faults
        catalogue = try Catalogue(BuiltInMachines.definitions)
        server = InMemoryServer(
            catalogue: catalogue, store: store, limits: plan.limits, options: plan.options,
            now: now)
        server.tamper = tamper
        let instances = (0..<plan.instances).map { "counter/i\($0)" }
        for name in 0..<plan.clients {
            clients.append(
                SimulatedClient(
                    name: name, instances: instances, pipelining: plan.pipelining,
                    wishes: plan.wishesEach))
        }
        for _ in 0..<plan.subscribers {
            subscribers.append(SimulatedSubscriber(&random, instances: instances))
        }
    }

    /// Runs with faults, then without faults until everything is done, and checks all of it.
    ///
    /// - Throws: A ``Complaint`` if a promise was broken.
    func run() throws -> Outcome {
        for _ in 0..<1_500 where !clients.allSatisfy(\.isDone) { try step() }
        // No more faults: the server must complete everything without help.
        store.faults = .none
        var turns = 0
        while try !isFinished() {
            turns += 1
            guard turns < 1_000 else {
                try check()
                throw Complaint("P15", "it never comes to rest")
            }
            try calmStep()
        }
        try check()
        var outcome = Outcome(
            faults: faults + store.injected, acks: history.acks, bytes: bytes)
        for writes in store.committed {
            outcome.journal.add(writes.journal)
            outcome.journal.add(writes.snapshots)
        }
        return outcome
    }

    private func isFinished() throws -> Bool {
        guard clients.allSatisfy(\.isDone) else { return false }
        let model = try JournalModel(store.archive)
        return subscribers.allSatisfy { $0.hasCaughtUp(model) }
    }

    private func check() throws {
        let model = try JournalModel(store.archive)
        try model.check(history)
        for subscriber in subscribers { try subscriber.check(model) }
        for wish in history.wishes where wish.version == nil && !wish.isAbandoned {
            throw Complaint("P15", "\(wish) was never acked")
        }
    }

    // MARK: Steps

    private func step() throws {
        pass(Int64(random.below(random.chance(20) ? 3_000 : 5)))
        if random.chance(plan.crashes) { return try crash() }
        do {
            switch random.below(10) {
            case 0, 1: try server.flush()
            case 2: try server.work()
            case 3 where random.chance(100): try server.tick()
            case 4 where random.chance(100): _ = try store.purge()
            case 4 where plan.keepSteps > 0 && random.chance(150): try forget()
            case 5 where plan.keepCounterSteps > 0 && random.chance(150): try forgetCounters()
            default: try someoneActs()
            }
        } catch let error as StoreError {
            try fail(error)
        }
        try reap()
        try checkBounds()
    }

    /// Truncates the journal once. This may remove steps that subscribers haven't read yet.
    private func forget() throws {
        _ = try server.truncate(to: JournalBounds(stepsMax: Int64(plan.keepSteps)))
        raiseFloors()
    }

    /// Truncates by the bound of one machine. All instances here belong to it.
    private func forgetCounters() throws {
        _ = try server.truncateMachines(
            to: ["counter": JournalBounds(stepsMax: Int64(plan.keepCounterSteps))])
        raiseFloors()
    }

    private func raiseFloors() {
        let first = store.base.floors.first(of: "counter")
        for subscriber in subscribers { subscriber.floor = first }
    }

    private func someoneActs() throws {
        let who = random.below(clients.count + subscribers.count)
        let isLeaving = random.chance(plan.disconnects)
        if who < clients.count {
            let client = clients[who]
            if isLeaving, let id = client.connection {
                drop(id)
                client.disconnect(&history)
                return
            }
            client.act(server, &history, &random)
            if random.chance(800) { try client.deliver(piece(), to: server) }
            if random.chance(500) {
                try client.receive(piece(), from: server, &history, &bytes)
            }
        } else {
            let subscriber = subscribers[who - clients.count]
            if isLeaving, let id = subscriber.connection {
                drop(id)
                subscriber.disconnect()
                return
            }
            subscriber.act(server, &random)
            if random.chance(800) { try subscriber.deliver(piece(), to: server) }
            if random.chance(300) { try subscriber.receive(piece(), from: server, &bytes) }
        }
    }

    private func piece() -> Int { 1 + random.below(plan.pieceBytesMax) }

    private func drop(_ id: ConnectionID) {
        faults += 1
        server.remove(id)
    }

    /// Lets every client and subscriber act once and reads all output.
    private func calmStep() throws {
        pass(5)
        for client in clients {
            client.act(server, &history, &random)
            try client.deliver(.max, to: server)
        }
        for subscriber in subscribers {
            subscriber.act(server, &random)
            try subscriber.deliver(.max, to: server)
        }
        try server.flush()
        try server.work()
        for client in clients { try client.receive(.max, from: server, &history, &bytes) }
        for subscriber in subscribers {
            try subscriber.receive(.max, from: server, &bytes)
        }
        try reap()
    }

    /// Disconnects the clients whose connection the server has closed.
    private func reap() throws {
        for client in clients {
            if let id = client.connection, try isClosed(id) { client.disconnect(&history) }
        }
        for subscriber in subscribers {
            if let id = subscriber.connection, try isClosed(id) { subscriber.disconnect() }
        }
    }

    private func isClosed(_ id: ConnectionID) throws -> Bool {
        guard let peer = server[id], peer.machine.shouldClose, let reason = peer.machine.closing
        else { return false }
        // These clients send slowly, don't read, and answer no heartbeats. They do nothing worse.
        guard [.lineTimeout, .heartbeatTimeout, .slowConsumer].contains(reason) else {
            throw Complaint("P7", "a connection was closed as \(reason.rawValue)")
        }
        drop(id)
        return true
    }

    private func pass(_ milliseconds: Int64) {
        now.uptime += milliseconds
        // The wall clock may jump. Nothing may depend on it.
        let jump = random.chance(5) ? Int64(random.below(7_200_000)) - 3_600_000 : 0
        now.time.milliseconds += milliseconds + jump
        server.context.now = now
    }

    // MARK: Faults

    /// Handles a failed commit: no more output may leave the server, and the process ends.
    private func fail(_ error: StoreError) throws {
        let before = server.open.map { server[$0]?.machine.outbound.count ?? 0 }
        do {
            try server.flush()
            throw Complaint("P8", "the engine goes on after \(error)")
        } catch is StoreError {
            // The expected error.
        }
        guard server.open.map({ server[$0]?.machine.outbound.count ?? 0 }) == before else {
            throw Complaint("P8", "something was answered after \(error)")
        }
        try crash()
    }

    private func crash() throws {
        faults += 1
        for client in clients { client.disconnect(&history) }
        for subscriber in subscribers { subscriber.disconnect() }
        store = try store.reopened()
        server = InMemoryServer(
            catalogue: catalogue, store: store, limits: plan.limits, options: plan.options,
            now: now)
        server.tamper = tamper
        // A truncation may have been stored although its commit failed.
        raiseFloors()
        let model = try JournalModel(store.archive)
        try model.check(history)
        for subscriber in subscribers { try subscriber.check(model) }
    }

    /// Checks that every buffer stays within its bound, whatever clients do.
    private func checkBounds() throws {
        for id in server.open {
            guard let peer = server[id] else { continue }
            // Past the bound no more lines are accepted, but accepted ones are still answered.
            let room = plan.limits.pendingBytesMax + (plan.pipelining + 1) * 2_000
            let waiting = peer.machine.outbound.count
            guard waiting <= room, peer.machine.inflight <= plan.limits.inflightMax else {
                throw Complaint("P7", "\(waiting) bytes wait for \(id)")
            }
        }
    }
}
