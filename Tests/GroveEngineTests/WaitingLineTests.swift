import Testing

@testable import GroveEngine

@Suite("WaitingLine")
struct WaitingLineTests {
    @Test func `who came first goes first, however many there were`() {
        var line = WaitingLine<Int>()
        let none = line.next()
        #expect(none == nil && line.count == 0)
        for number in 0..<5_000 { line.append(number) }
        var taken: [Int] = []
        for _ in 0..<4_000 { if let number = line.next() { taken.append(number) } }
        line.append(5_000)
        #expect(line.count == 1_001)
        while let number = line.next() { taken.append(number) }
        #expect(taken == Array(0...5_000) && line.count == 0)
    }
}
