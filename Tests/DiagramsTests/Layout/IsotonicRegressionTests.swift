import Testing

@testable import Diagrams

@Suite("Isotonic regression")
struct IsotonicRegressionTests {
    private func places(_ wanted: [Double], gap: Double = 0, weights: [Double] = []) -> [Double] {
        IsotonicRegression.places(
            wanted.enumerated().map { index, wanted in
                IsotonicRegression.Item(
                    wanted: wanted, weight: index < weights.count ? weights[index] : 1, gap: gap)
            })
    }

    @Test func `what is in order stays`() {
        #expect(places([]) == [])
        #expect(places([1, 2, 5]) == [1, 2, 5])
        #expect(places([0, 10, 20], gap: 10) == [0, 10, 20])
    }

    @Test func `what is too near moves as little as possible`() {
        #expect(places([0, 0], gap: 10) == [-5, 5])
        #expect(places([3, 1]) == [2, 2])
        #expect(places([0, 0, 100], gap: 10) == [-5, 5, 100])
        #expect(places([3, 0], weights: [1, 2]) == [1, 1])
    }

    @Test func `no small move makes it better`() {
        var generator = SeededShuffle(seed: 7)
        for _ in 0..<50 {
            let wanted = (0..<8).map { _ in Double(generator.next() % 100) }
            let found = places(wanted, gap: 9)
            func cost(_ places: [Double]) -> Double {
                zip(places, wanted).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
            }
            for (one, other) in zip(found, found.dropFirst()) { #expect(other - one > 8.999) }
            for index in found.indices {
                for step in [-0.01, 0.01] {
                    var moved = found
                    moved[index] += step
                    let isAllowed = zip(moved, moved.dropFirst()).allSatisfy { $1 - $0 >= 9 }
                    #expect(!isAllowed || cost(moved) >= cost(found))
                }
            }
        }
    }
}
