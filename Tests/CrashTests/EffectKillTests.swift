import Foundation
import Glibc
import GroveTestSupport
import Testing

/// SIGKILL while effects are running: timers, requests over HTTP, sends to other instances, and
/// children. Finds effects that are lost or run under a second key, results that are applied twice,
/// timers that are lost or early, and orphans.
///
/// `GROVE_KILLS` sets the number of kills instead of the 24 of a normal run; `GROVE_SEED` sets the
/// seed.
@Suite("SIGKILL under effects", .serialized)
struct EffectKillTests {
    /// Kills per data file. After these the data is checked, and a new file is used.
    private static let killsPerRound = 24
    /// The number of new orders between two kills.
    private static let ordersPerLife = 30

    private static func variable(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static let kills = max(1, Int(variable("GROVE_KILLS") ?? UInt64(killsPerRound)))
    private static let seed = variable("GROVE_SEED") ?? 1

    @Test(.timeLimit(.minutes(5 + kills / 10)))
    func `effects run and results apply once, after any number of kills`()
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
        #expect(counts.allSatisfy { $0.ticks > 50 && $0.sends > 20 }, "too little happened")
        #expect(counts.reduce(0) { $0 + $1.requests } > Self.kills)
    }

    @Test(.timeLimit(.minutes(3)))
    func `a stop while effects run ends with 0, and they continue after it`() throws {
        let rig = try Rig(seed: 77)
        for delay in [100, 300, 500, 700] {
            let status = try rig.live(newOrders: 60, milliseconds: delay, then: SIGTERM)
            #expect(status == 0)
        }
        let counts = try rig.check()
        #expect(counts.requests > 20)
        print("4 stops: \(counts), 0 lost")
    }

    /// Under load, every request makes the server check for due effects.
    @Test(.timeLimit(.minutes(2)))
    func `due effects continue after a kill without any client`() throws {
        let rig = try Rig(seed: 78, clocks: 1)
        for _ in 1...3 { _ = try rig.live(newOrders: 0, milliseconds: 400, then: SIGKILL) }
        let counts = try rig.check()
        #expect(counts.ticks >= 2)
    }

    /// Kills servers over one data file, lets the last one finish its effects, and checks.
    private func round(seed: UInt64, kills: Int) throws -> EffectChecker.Counts {
        let rig = try Rig(seed: seed)
        var random = SeededRandom(seed: seed &+ 1_000)
        for _ in 1...kills {
            // One in four is killed while it still resumes the effects of the one before.
            let isEarly = Int.random(in: 0..<4, using: &random) == 0
            let delay = Int.random(in: isEarly ? 1...40 : 40...700, using: &random)
            _ = try rig.live(newOrders: Self.ordersPerLife, milliseconds: delay, then: SIGKILL)
        }
        return try rig.check()
    }
}

/// One data file with its consecutive servers, their payment server and their clients.
private final class Rig {
    private let folder: TemporaryFolder
    private let payments: PaymentServer
    private var workload: EffectWorkload
    private var evidence = EffectEvidence()

    init(seed: UInt64, clocks: Int = 40) throws {
        folder = try TemporaryFolder()
        payments = try PaymentServer(seed: seed)
        workload = EffectWorkload(seed: seed, clocks: clocks, url: payments.url)
        payments.start()
    }

    deinit { payments.stop() }

    /// Starts a server, sends requests to it, and ends it by a signal.
    ///
    /// - Returns: Its exit status.
    func live(newOrders: Int, milliseconds: Int, then signal: Int32) throws -> Int32 {
        let server = try start()
        let processID = server.processID
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            _ = kill(processID, signal)
        }
        try workload.run(port: server.port, newOrders: newOrders)
        let status = server.wait()
        evidence.lastDeath = Int64(Date().timeIntervalSince1970 * 1_000)
        return status
    }

    /// Lets a last server finish all effects, and checks.
    func check() throws -> EffectChecker.Counts {
        let server = try start()
        payments.becomeReliable()
        try workload.settle(port: server.port)
        try evidence.read(port: server.port)
        #expect(server.stop() == 0)
        evidence.requests = payments.requests
        evidence.acknowledged = workload.acknowledged
        evidence.sent = workload.sent
        return try EffectChecker.check(evidence)
    }

    private func start() throws -> ServerProcess {
        try ServerProcess(
            data: folder.path("effects.db"),
            arguments: [
                "--http-allow-private", "127.0.0.1:\(payments.port)", "--http-plaintext",
            ])
    }
}
