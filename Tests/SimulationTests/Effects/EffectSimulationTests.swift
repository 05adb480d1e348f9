import Foundation
import Testing

@Suite("simulation with effects")
struct EffectSimulationTests {
    /// `SEED=n` repeats one run, `SEEDS=n` makes as many as one has time for.
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["SEEDS"].flatMap(UInt64.init) ?? 20))
    }()

    static func command(_ seed: UInt64) -> String {
        "reproduce: SEED=\(seed) swift test --filter EffectSimulationTests"
    }

    @Test func `every effect comes to its end once, whatever fails`() throws {
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
}
