import Testing

@Suite("simulation with effects")
struct EffectSimulationTests {
    static let seeds = Seeds.first(12)

    static func command(_ seed: UInt64) -> String {
        "reproduce: SEED=\(seed) swift test --filter EffectSimulationTests"
    }

    @Test func `every effect ends once, whatever fails`() throws {
        var total = EffectSimulation.Outcome()
        for seed in Self.seeds {
            do {
                var simulation = EffectSimulation(try EffectWorld(seed: seed))
                let outcome = try simulation.run()
                total.steps += outcome.steps
                total.effects += outcome.effects
                total.crashes += outcome.crashes
                total.faults += outcome.faults
            } catch {
                Issue.record("\(error)\n\(Self.command(seed))")
                return
            }
        }
        print(
            "effects: \(Self.seeds.count) seeds, \(total.steps) journal steps,",
            "\(total.effects) effects, \(total.crashes) crashes, \(total.faults) failed commits")
        #expect(total.effects > 0)
    }

    @Test func `the same seed makes the same bytes`() throws {
        for seed in Self.seeds.prefix(3) {
            var outcomes: [EffectSimulation.Outcome] = []
            for _ in 0..<2 {
                var simulation = EffectSimulation(try EffectWorld(seed: seed, isTraced: true))
                outcomes.append(try simulation.run())
            }
            #expect(!outcomes[0].trace.isEmpty && !outcomes[0].written.isEmpty)
            let different = zip(outcomes[0].trace, outcomes[1].trace).first { $0 != $1 }
            #expect(
                different == nil && outcomes[0].trace.count == outcomes[1].trace.count,
                "\(Self.command(seed))")
            #expect(outcomes[0].written == outcomes[1].written, "\(Self.command(seed))")
        }
    }

    // MARK: The audit itself

    static let planted: [(String, SimulatedStore.Type)] = [
        ("rows aren't written", RowDroppingStore.self),
        ("rows aren't removed", RowKeepingStore.self),
        ("timers are early", HastyStore.self),
        ("children aren't stopped", OrphaningStore.self),
        ("tries aren't counted", ForgetfulOfTriesStore.self),
        ("streams are repeated", RepeatingStore.self),
        ("queues let everything through", ImpatientStore.self),
        ("sequences are cut", CuttingStore.self),
        ("snapshots aren't written", LosingStore.self),
    ]

    @Test(arguments: planted.indices)
    func `a planted bug is found`(index: Int) throws {
        let (name, kind) = Self.planted[index]
        try expectComplaint(name) { try EffectWorld(seed: $0, store: kind) }
    }

    @Test func `a stale report under another effect's run is found`() throws {
        try expectComplaint("stale reports under other runs") {
            try EffectWorld(seed: $0, isConfused: true)
        }
    }

    private func expectComplaint(
        _ name: String, _ makeWorld: (UInt64) throws -> EffectWorld
    ) throws {
        for seed in UInt64(1)...40 {
            do {
                var simulation = EffectSimulation(try makeWorld(seed))
                _ = try simulation.run()
            } catch let complaint as Complaint {
                print("planted: \(name): found with seed \(seed): \(complaint)")
                return
            }
        }
        Issue.record("nobody noticed in 40 seeds that \(name)")
    }
}
