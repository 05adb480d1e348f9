import Foundation
import Glibc
import GroveTestSupport
import Testing

/// SIGKILL while effects are under way: timers, requests over HTTP, sends to other instances, and
/// children (semantics.md, "Effects are values"). Shows effects that are lost or made under a
/// second key, results that are applied twice, timers that are lost or early, and orphans.
///
/// `GROVE_KILLS` asks for more kills than the 24 of a normal run, `GROVE_SEED` for another seed.
@Suite("SIGKILL under effects", .serialized)
struct EffectKillTests {
    /// Kills over one data file; then it is checked, and the next begins.
    private static let killsPerRound = 24
    /// New orders in each life of the server.
    private static let ordersPerLife = 30

    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static let kills = max(1, Int(variable("GROVE_KILLS") ?? UInt64(killsPerRound)))
    private static let seed = variable("GROVE_SEED") ?? 1

    @Test(.timeLimit(.minutes(5 + kills / 10)))
    func `every effect is carried out, and every result applied once, however often it is killed`()
        throws
    {
        var left = Self.kills
        var seed = Self.seed
        var counts: [EffectChecker.Counts] = []
        while left > 0 {
            let kills = min(left, Self.killsPerRound)
            print("reproduce: GROVE_SEED=\(seed) swift test --filter EffectKillTests")
            counts.append(try round(seed: seed, kills: kills))
            print("seed \(seed): \(kills) kills, \(counts[counts.count - 1]), 0 lost")
            left -= kills
            seed += 1
        }
        #expect(counts.allSatisfy { $0.ticks > 100 && $0.sends > 50 }, "too little happened")
        #expect(counts.allSatisfy { $0.requests > 2 * Self.killsPerRound || Self.kills < 24 })
    }

    /// Kills a server so many times over one data file, lets it come to rest, and checks.
    private func round(seed: UInt64, kills: Int) throws -> EffectChecker.Counts {
        let folder = try TemporaryFolder()
        let payments = try PaymentServer(seed: seed)
        payments.start()
        defer { payments.stop() }
        var workload = EffectWorkload(seed: seed, url: payments.url)
        var random = SeededRandom(seed: seed &+ 1_000)
        for _ in 1...kills {
            let server = try start(folder, payments)
            // One in four dies while it still takes up what the one before has left.
            let isEarly = Int.random(in: 0..<4, using: &random) == 0
            let delay = Int.random(in: isEarly ? 1...40 : 40...700, using: &random)
            let processID = server.processID
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, SIGKILL)
            }
            try workload.run(port: server.port, newOrders: Self.ordersPerLife)
            _ = server.wait()
        }
        var evidence = EffectEvidence()
        evidence.lastDeath = Int64(Date().timeIntervalSince1970 * 1_000)
        let server = try start(folder, payments)
        payments.becomeReliable()
        try workload.settle(port: server.port)
        try evidence.read(port: server.port)
        #expect(server.stop() == 0)
        evidence.requests = payments.requests
        evidence.acknowledged = workload.acknowledged
        evidence.sent = workload.sent
        return try EffectChecker.check(evidence)
    }

    private func start(
        _ folder: TemporaryFolder, _ payments: PaymentServer
    ) throws -> ServerProcess {
        try ServerProcess(
            data: folder.path("effects.db"),
            arguments: [
                "--http-allow-private", "127.0.0.1:\(payments.port)", "--http-plaintext",
            ])
    }
}
