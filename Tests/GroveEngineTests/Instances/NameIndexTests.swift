import GroveTestSupport
import Testing

@testable import GroveEngine

@Suite("NameIndex")
struct NameIndexTests {
    /// Instances whose hashes often collide, in a plain list beside the index.
    private struct Model {
        var hashes: [Int] = []
        var names: [Int] = []
        var index = NameIndex()

        mutating func insert(name: Int, hash: Int) {
            hashes.append(hash)
            names.append(name)
            index.insert(hashes.count - 1, hash: hash)
        }

        mutating func remove(at place: Int) {
            index.remove(place, hash: hashes[place])
            let end = hashes.count - 1
            if place < end { index.move(hashes[end], from: end, to: place) }
            hashes.swapAt(place, end)
            names.swapAt(place, end)
            hashes.removeLast()
            names.removeLast()
        }

        func find(name: Int, hash: Int) -> Int? { index.find(hash) { names[$0] == name } }
    }

    @Test(arguments: [1, 3, 64, 1 << 40])
    func `the index finds exactly its names, however hashes collide`(spread: Int) throws {
        var model = Model()
        var random = SeededRandom(seed: UInt64(spread))
        var next = 0
        for _ in 0..<4_000 {
            if model.names.count < 20 || Int.random(in: 0..<100, using: &random) < 55 {
                // Also hashes at the very end, so that searches wrap around.
                model.insert(name: next, hash: -1 - Int.random(in: 0..<spread, using: &random) * 3)
                next += 1
            } else {
                model.remove(at: Int.random(in: model.names.indices, using: &random))
            }
            let place = Int.random(in: model.names.indices, using: &random)
            #expect(
                model.find(name: model.names[place], hash: model.hashes[place]) == place)
            #expect(model.find(name: -1, hash: model.hashes[place]) == nil)
            let hash = model.hashes[place]
            model.index.prefetch(hash)
            let candidate = try #require(model.index.firstCandidate(hash))
            #expect(UInt32(truncatingIfNeeded: model.hashes[candidate] ^ hash) == 0)
        }
        for place in model.names.indices {
            #expect(
                model.find(name: model.names[place], hash: model.hashes[place]) == place)
        }
    }
}
