import Testing
import Transducers

@Suite("Retry policy")
struct RetryPolicyTests {
    @Test func `pauses grow by the factor up to the cap, and end with the attempts`() {
        let policy = RetryPolicy(
            attemptsMax: 6, interval: .seconds(1), factor: 3, intervalMax: .seconds(20),
            jitter: 0)
        let pauses = (1...6).map { policy.pause(afterAttempt: $0, elapsed: 0, draw: 0.7) }
        #expect(pauses == [1_000, 3_000, 9_000, 20_000, 20_000, nil])
    }

    @Test(arguments: [(0.0, 1_000), (0.5, 800), (1.0, 600), (7.0, 600), (-1.0, 1_000)])
    func `jitter shortens a pause by up to its part`(draw: Double, pause: Int64) {
        let policy = RetryPolicy(attemptsMax: 2, interval: .seconds(1), jitter: 0.4)
        #expect(policy.pause(afterAttempt: 1, elapsed: 0, draw: draw) == pause)
    }

    @Test func `no attempt begins after the total time`() {
        let policy = RetryPolicy(
            attemptsMax: 100, interval: .seconds(4), factor: 1, jitter: 0, totalMax: .seconds(10))
        #expect(policy.pause(afterAttempt: 1, elapsed: 5_900, draw: 0) == 4_000)
        #expect(policy.pause(afterAttempt: 2, elapsed: 6_100, draw: 0) == nil)
    }

    @Test func `values out of range become the nearest in range`() {
        let policy = RetryPolicy(
            attemptsMax: -3, interval: .seconds(-1), factor: .nan, intervalMax: .seconds(-1),
            jitter: .infinity, totalMax: .seconds(-1))
        #expect(policy.attemptsMax == 1)
        #expect(policy.intervalMilliseconds == 0)
        #expect(policy.factor == 1)
        #expect(policy.intervalMillisecondsMax == 0)
        #expect(policy.jitter == 0)
        #expect(policy.totalMillisecondsMax == 0)
    }

    @Test func `a policy of a million attempts is evaluated quickly`() {
        let policy = RetryPolicy.lasting(.seconds(1_000_000))
        #expect(policy.pause(afterAttempt: 999_998, elapsed: 0, draw: 0) == 300_000)
    }
}
