import Foundation
import Glibc
import GroveTestSupport
import Testing

/// SIGKILL at seeded moments under load (reliability.md, "Faults and tests"). Finds lost or early
/// acks, holes, keys applied twice, and watchers that miss or repeat records. It can't find missing
/// syncs.
///
/// `GROVE_KILLS` sets the number of kills instead of the 24 of a normal run, rounded up to twelve
/// for each seed; `GROVE_SEED` repeats one seed.
@Suite("SIGKILL under load")
struct KillTests {
    private static let seeds: [UInt64] = {
        func variable(_ name: String) -> UInt64? {
            ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
        }
        if let seed = variable("GROVE_SEED") { return [seed] }
        return Array(1...max(1, ((variable("GROVE_KILLS") ?? 24) + 11) / 12))
    }()

    @Test(.timeLimit(.minutes(5)), arguments: seeds)
    func `every acknowledged event is there exactly once after twelve kills`(
        seed: UInt64
    ) throws {
        print("reproduce: GROVE_SEED=\(seed) swift test --filter KillTests")
        let folder = try TemporaryFolder()
        let data = folder.path("crash.db")
        var workload = Workload(seed: seed)
        var random = SeededRandom(seed: seed &+ 1_000)
        for _ in 1...12 {
            let server = try ServerProcess(data: data)
            let delay = Int.random(in: 5...400, using: &random)
            let processID = server.processID
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGKILL)
            }
            try workload.run(port: server.port)
            _ = server.wait()
        }
        let server = try ServerProcess(data: data)
        let count = try Checker.check(&workload, port: server.port)
        #expect(server.stop() == 0)
        #expect(count > 100, "too little happened between the kills to show anything")
        print(
            "seed \(seed): \(workload.acknowledged.count) acks over 12 kills, "
                + "\(workload.unknown.count) unknown at the end, \(count) events, 0 lost")
    }

    @Test(.timeLimit(.minutes(2)))
    func `a stop under load ends with 0, and everything acknowledged is there`() throws {
        let folder = try TemporaryFolder()
        let data = folder.path("stop.db")
        var workload = Workload(seed: 77)
        for delay in [20, 60, 150] {
            let server = try ServerProcess(data: data)
            let processID = server.processID
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGTERM)
            }
            try workload.run(port: server.port)
            #expect(server.wait() == 0, "\(server.log)")
        }
        let server = try ServerProcess(data: data)
        _ = try Checker.check(&workload, port: server.port)
        #expect(server.stop() == 0)
    }
}
