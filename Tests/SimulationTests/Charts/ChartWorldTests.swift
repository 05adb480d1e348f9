import GroveEngine
import GroveTestSupport
import Testing

@Suite("simulation with statecharts")
struct ChartWorldTests {
    static let seeds = Seeds.first(8)

    @Test func `each event counts once, and timers, children and calls survive migrations`() throws
    {
        var crashes = 0
        var migrations = 0
        for seed in Self.seeds {
            do {
                let world = try ChartWorld(seed: seed)
                try world.run(steps: 400)
                crashes += world.crashes
                migrations += world.migrations
            } catch {
                Issue.record(
                    "\(error)\nreproduce: SEED=\(seed) swift test --filter ChartWorldTests")
                return
            }
        }
        print("charts: \(Self.seeds.count) seeds, \(crashes) crashes, \(migrations) migrations")
        #expect(migrations > 0)
    }

    static let planted: [(String, SimulatedStore.Type)] = [
        ("dedup keys are lost", KeylessStore.self),
        ("due effects aren't found", TimelessStore.self),
    ]

    @Test(arguments: planted.indices)
    func `a planted bug is found`(index: Int) throws {
        let (name, kind) = Self.planted[index]
        for seed in UInt64(1)...20 {
            do {
                try ChartWorld(seed: seed, store: kind).run(steps: 400)
            } catch let complaint as Complaint {
                print("planted: \(name): found with seed \(seed): \(complaint)")
                return
            }
        }
        Issue.record("nobody noticed in 20 seeds that \(name)")
    }
}

/// A planted bug: no effect is ever due.
final class TimelessStore: SimulatedStore {
    override func nextDue() throws(StoreError) -> Timestamp? { nil }
}
