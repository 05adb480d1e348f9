import GroveEngine
import GroveTestSupport
import Testing

@Suite("simulation")
struct SimulationTests {
    static let seeds = Seeds.first(300)

    @Test(arguments: [false, true])
    func `every promise holds whatever fails`(isInFile: Bool) throws {
        var faults = 0
        var acks = 0
        let kind = isInFile ? SimulatedFile.self : SimulatedStore.self
        let seeds = isInFile ? Self.seeds.prefix((Self.seeds.count + 2) / 3) : Self.seeds[...]
        for seed in seeds {
            do {
                let outcome = try Simulation(seed: seed, store: kind).run()
                faults += outcome.faults
                acks += outcome.acks
            } catch {
                Issue.record(
                    "\(error)\nreproduce: SEED=\(seed) swift test --filter SimulationTests")
                return
            }
        }
        print(
            "simulation\(isInFile ? " in a file" : ""): \(seeds.count) seeds,",
            "\(faults) faults injected,",
            "\(acks) events acked, events lost: 0")
        #expect(acks > 0)
    }

    @Test func `the same seed makes the same bytes and the same journal`() throws {
        for seed in Self.seeds.prefix(20) {
            let first = try Simulation(seed: seed).run()
            let second = try Simulation(seed: seed).run()
            #expect(
                first.bytes == second.bytes && first.journal == second.journal,
                "reproduce: SEED=\(seed) swift test --filter SimulationTests")
        }
    }

    static let planted: [(String, SimulatedStore.Type)] = [
        ("a crash undoes the last commit", ForgetfulStore.self),
        ("dedup keys are forgotten", KeylessStore.self),
        ("the journal is read with a hole", LeakyStore.self),
        ("steps are removed and nobody is told", SilentStore.self),
        ("an instance is read one step behind", StaleStore.self),
        ("rows that are behind are lost in a crash", OvermarkedFile.self),
    ]

    @Test(arguments: planted.indices)
    func `a planted bug is found`(index: Int) {
        let (name, kind) = Self.planted[index]
        expectFound(name) { try Simulation(seed: $0, store: kind).run() }
    }

    /// Runs seed after seed until one of them reports a complaint.
    private func expectFound(_ name: String, _ run: (UInt64) throws -> Simulation.Outcome) {
        for seed in UInt64(1)...40 {
            do {
                _ = try run(seed)
            } catch let complaint as Complaint {
                print("planted: \(name): found with seed \(seed): \(complaint)")
                return
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
        Issue.record("nobody noticed in 40 seeds that \(name)")
    }

    // MARK: Batches

    static let plantedInBatches: [(String, @Sendable (Request) -> [Request])] = [
        (
            "all or none is forgotten",
            { request in
                guard case .batch(let batch) = request.operation else { return [request] }
                return [
                    Request(
                        connection: request.connection, token: request.token,
                        operation: .batch(SendBatch(items: batch.items, isAtomic: false)))
                ]
            }
        ),
        (
            "what a failed batch did stays",
            { request in
                guard case .batch(let batch) = request.operation, batch.isAtomic,
                    batch.items.contains(where: \.isRefusedInTheEnd)
                else { return [request] }
                // Connection 0 doesn't exist, so the answer is discarded.
                let leak = Request(
                    connection: ConnectionID(0), token: 0,
                    operation: .batch(SendBatch(items: batch.items, isAtomic: false)))
                return [leak, request]
            }
        ),
    ]

    @Test(arguments: plantedInBatches.indices)
    func `a planted bug in batches is found`(index: Int) {
        let (name, tamper) = Self.plantedInBatches[index]
        expectFound(name) { try Simulation(seed: $0, tamper: tamper).run() }
    }
}

extension SendBatch.Item {
    /// Whether this is the item that simulated clients add to make a batch fail.
    fileprivate var isRefusedInTheEnd: Bool {
        if case .send(let send) = self { send.to.machine == "turnstile" } else { false }
    }
}
