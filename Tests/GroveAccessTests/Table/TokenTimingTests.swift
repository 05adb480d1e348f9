import Foundation
import GroveTestSupport
import Testing

@testable import GroveAccess

/// Whether the time of a wrong token says something about the right one, by Welch's t of 100,000
/// tries of each kind. It takes a quiet machine, so it runs only with `TIMING=1`.
@Suite("timing of tokens", .enabled(if: ProcessInfo.processInfo.environment["TIMING"] == "1"))
struct TokenTimingTests {
    private static let tries = 100_000

    private static func token(_ random: inout SeededRandom) throws -> [UInt8] {
        let bytes = (0..<96).map { _ in UInt8.random(in: 0..<248, using: &random) }
        let text = bytes.withUnsafeBytes { bytes -> [UInt8]? in
            guard let token = BearerToken(random: bytes) else { return nil }
            return token.withBytes { Array($0) }
        }
        return try #require(text)
    }

    private static func digested(_ bytes: UnsafeRawBufferPointer) -> DigestedToken? {
        guard let token = BearerToken(bytes) else { return nil }
        return DigestedToken(token)
    }

    /// A token with the first characters of the right one's secret, and a checksum that fits.
    private static func wrong(
        _ right: [UInt8], sharing count: Int, _ random: inout SeededRandom
    ) throws -> [UInt8] {
        var text = right
        let other = try token(&random)
        for place in TokenText.secretRange.dropFirst(count) {
            text[place] = other[place]
        }
        if text == right { text[57] = text[57] == 48 ? 49 : 48 }
        let checksum = text.withUnsafeBytes { TokenText.checksum(of: $0) }
        for (place, byte) in zip(TokenText.checksumRange, checksum) { text[place] = byte }
        return text
    }

    private struct Sample {
        var sum = 0.0
        var squares = 0.0
        var count = 0.0

        mutating func add(_ value: Double) {
            (sum, squares, count) = (sum + value, squares + value * value, count + 1)
        }

        var mean: Double { sum / count }
        var variance: Double { (squares - sum * sum / count) / (count - 1) }
    }

    @Test func `wrong tokens of every kind take the same time`() throws {
        var random = SeededRandom(seed: 1)
        var table = AccountsTable()
        var rights: [[UInt8]] = []
        for number in 0..<1_000 {
            let text = try Self.token(&random)
            rights.append(text)
            var wish = TokenWish(try PrincipalName("p\(number)"))
            wish.grants = [try Grant("admin */*")]
            let made = try #require(text.withUnsafeBytes { Self.digested($0) })
            _ = try table.carryOut(.createToken(wish, made), as: .offline, at: 0)
        }
        let kinds: [(String, ([UInt8], inout SeededRandom) throws -> [UInt8])] = [
            ("unknown id", { _, random in try Self.token(&random) }),
            ("nothing shared", { try Self.wrong($0, sharing: 0, &$1) }),
            ("16 characters shared", { try Self.wrong($0, sharing: 16, &$1) }),
            ("42 characters shared", { try Self.wrong($0, sharing: 42, &$1) }),
        ]
        var samples = [Sample](repeating: Sample(), count: kinds.count)
        for _ in 0..<Self.tries {
            // All kinds in turns, so that whatever else the machine does meets all of them.
            for kind in kinds.indices.shuffled(using: &random) {
                let right = rights[Int.random(in: rights.indices, using: &random)]
                let text = try kinds[kind].1(right, &random)
                let clock = ContinuousClock()
                let begin = clock.now
                let found = text.withUnsafeBytes { bytes -> Bool in
                    guard let claim = Self.digested(bytes) else { return false }
                    return table.token(claim.id, claim.digest, at: 0) != nil
                }
                let taken = clock.now - begin
                #expect(!found)
                let nanoseconds = Double(taken / .nanoseconds(1))
                // The scheduler's pauses are nobody's secret.
                if nanoseconds < 20_000 { samples[kind].add(nanoseconds) }
            }
        }
        for (place, kind) in kinds.enumerated() {
            print("timing: \(kind.0): \(samples[place].mean) ns")
            for other in 0..<place {
                let (a, b) = (samples[place], samples[other])
                let deviation = (a.variance / a.count + b.variance / b.count).squareRoot()
                let t = abs(a.mean - b.mean) / deviation
                print("timing: \(kind.0) against \(kinds[other].0): t = \(t)")
                #expect(t < 4.5)
            }
        }
    }
}
