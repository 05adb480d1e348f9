import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("PrincipalUse")
struct PrincipalUseTests {
    @Test func `connections and subscriptions have room up to their quota`() {
        let use = PrincipalUse([.connections: 2, .subscriptions: 1], hasStandard: true, at: 0)
        use.count(connections: 1)
        #expect(use.hasRoomForConnection)
        use.count(connections: 1, subscriptions: 1)
        #expect(!use.hasRoomForConnection && !use.hasRoomForSubscription)
        use.count(connections: -1, subscriptions: -1)
        #expect(use.hasRoomForConnection && use.hasRoomForSubscription)
    }

    @Test func `only a principal has the standard quotas`() {
        let named = PrincipalUse([:], hasStandard: true, at: 0)
        named.count(connections: 256)
        #expect(!named.hasRoomForConnection)
        let anonymous = PrincipalUse([:], hasStandard: false, at: 0)
        anonymous.count(connections: 100_000, subscriptions: 100_000, requests: 100_000)
        #expect(anonymous.hasRoomForConnection && anonymous.hasRoomForSubscription)
        #expect(!anonymous.isSpent)
    }

    @Test func `spent requests are relieved once half of them are answered`() {
        let use = PrincipalUse([.requests: 4], hasStandard: true, at: 0)
        use.count(requests: 3)
        #expect(!use.isSpent && !use.takeRelief())
        use.count(requests: 1)
        #expect(use.isSpent)
        use.count(requests: -1)
        #expect(!use.isSpent && !use.takeRelief())
        use.count(requests: -1)
        #expect(use.takeRelief())
        #expect(!use.takeRelief())
    }

    @Test func `a quota of one request is relieved by its reply`() {
        let use = PrincipalUse([.requests: 1], hasStandard: true, at: 0)
        use.count(requests: 1)
        #expect(use.isSpent)
        use.count(requests: -1)
        #expect(!use.isSpent && use.takeRelief())
    }

    @Test func `a spent rate rests until what is owed has come back`() {
        let use = PrincipalUse([.eventsPerSecond: 10], hasStandard: true, at: 0)
        use.spend(events: 10, bytes: 1 << 40, at: 0)
        #expect(use.restsUntil == nil)
        use.spend(events: 5, bytes: 0, at: 0)
        #expect(use.isSpent && use.restsUntil == 500)
        #expect(!use.endRest(at: 499))
        #expect(use.endRest(at: 500))
        #expect(!use.isSpent && !use.endRest(at: 501))
        // Bytes rest, too, and the longer rest counts.
        use.change([.eventsPerSecond: 10, .bytesPerSecond: 100], at: 500)
        use.spend(events: 1, bytes: 300, at: 500)
        #expect(use.restsUntil == 2_500)
    }

    @Test func `a rest ends with the quota that has caused it`() {
        let use = PrincipalUse([.bytesPerSecond: 1], hasStandard: true, at: 0)
        use.spend(events: 0, bytes: 1_000_000, at: 0)
        #expect(use.isSpent)
        use.change([.bytesPerSecond: 1_000_000], at: 10)
        #expect(use.restsUntil == 1_010)
        use.change([:], at: 20)
        #expect(!use.isSpent)
        use.spend(events: 1_000_000, bytes: 1_000_000, at: 10)
        #expect(!use.isSpent)
    }

    @Test func `the same quotas change nothing of a rest`() {
        let use = PrincipalUse([.bytesPerSecond: 7], hasStandard: true, at: 0)
        use.spend(events: 0, bytes: 700, at: 0)
        use.isRestNoted = true
        let end = use.restsUntil
        #expect(!use.change([.bytesPerSecond: 7], at: 50))
        #expect(use.restsUntil == end && use.isRestNoted)
        #expect(use.change([.bytesPerSecond: 70], at: 50))
        #expect(use.restsUntil ?? 0 < end ?? 0 && !use.isRestNoted)
    }

    /// However it is used, no more than the burst and the rate passes in any time.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a rate holds on average`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let rate = Int64.random(in: 1...1_000, using: &random)
        let use = PrincipalUse([.eventsPerSecond: rate], hasStandard: true, at: 0)
        var (now, events, most) = (Int64(0), Int64(0), Int64(0))
        for _ in 0..<500 {
            now += .random(in: 0...40, using: &random)
            _ = use.endRest(at: now)
            guard !use.isSpent else { continue }
            let burst = Int.random(in: 1...20, using: &random)
            use.spend(events: burst, bytes: 0, at: now)
            events += Int64(burst)
            most = max(most, Int64(burst))
        }
        #expect(events <= rate + rate * now / 1_000 + most + 1)
    }
}
