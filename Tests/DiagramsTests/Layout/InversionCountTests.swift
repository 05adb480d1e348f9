import Testing

@testable import Diagrams

@Suite("Counting crossings")
struct InversionCountTests {
    @Test func `as many as pairs in the wrong order`() {
        var generator = SeededShuffle(seed: 3)
        var count = InversionCount()
        for length in 0..<40 {
            let values = (0..<length).map { _ in Int(generator.next() % 20) }
            var pairs = 0
            for (index, value) in values.enumerated() {
                pairs += values[index...].count { $0 < value }
            }
            count.removeAll()
            for value in values {
                count.append(value, rank: 0)
                count.endGroup()
            }
            #expect(count.count() == pairs)
        }
    }

    @Test func `segments from one port don't cross, those from ports in the wrong order do`() {
        var count = InversionCount()
        count.append(9, rank: 0)
        count.append(1, rank: 0)
        count.endGroup()
        #expect(count.count() == 0)
        count.removeAll()
        count.append(9, rank: 0)
        count.append(1, rank: 1)
        count.endGroup()
        #expect(count.count() == 1)
    }

    @Test func `shuffles are the same everywhere`() {
        var generator = SeededShuffle(seed: 1)
        var items = Array(0..<8)
        generator.shuffle(&items)
        #expect(items.sorted() == Array(0..<8))
        var again = SeededShuffle(seed: 1)
        var others = Array(0..<8)
        again.shuffle(&others)
        #expect(items == others)
    }
}
