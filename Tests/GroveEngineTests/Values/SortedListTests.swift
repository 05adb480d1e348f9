import GroveTestSupport
import Testing

@testable import GroveEngine

@Suite("SortedList")
struct SortedListTests {
    @Test(arguments: 1...10)
    func `a sorted list holds the elements of a set, in order`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = SortedList<Int>()
        var model: Set<Int> = []
        for _ in 0..<6_000 {
            let value = Int.random(in: 0...3_000, using: &random)
            if Int.random(in: 0...2, using: &random) > 0 {
                list.insert(value)
                model.insert(value)
            } else {
                list.remove(value)
                model.remove(value)
            }
        }
        let sorted = model.sorted()
        #expect(list.count == sorted.count)
        #expect(list.values().elementsEqual(sorted))
        for start in stride(from: -1, through: 3_001, by: 37) {
            #expect(list.values(from: start).elementsEqual(sorted.drop { $0 < start }))
            #expect(list.values(after: start).elementsEqual(sorted.drop { $0 <= start }))
        }
        #expect(list.values(after: nil).elementsEqual(sorted))
        for value in sorted { list.remove(value) }
        #expect(list.count == 0 && Array(list.values()).isEmpty)
    }
}
