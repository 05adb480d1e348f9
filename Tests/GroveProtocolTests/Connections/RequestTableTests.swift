import Testing

@testable import GroveProtocol

@Suite("RequestTable")
struct RequestTableTests {
    private func slot(isOrdered: Bool = false) -> RequestTable.Slot {
        RequestTable.Slot(
            answer: .null, lineBytes: 0, isOrdered: isOrdered, held: nil)
    }

    @Test func `tokens are used again only after their release`() {
        var table = RequestTable()
        let tokens = (0..<100).map { _ in table.insert(slot()) }
        #expect(Set(tokens).count == 100 && table.count == 100)
        for token in tokens where token % 2 == 0 { table.release(token) }
        let again = (0..<50).map { _ in table.insert(slot()) }
        #expect(Set(again) == Set(tokens.filter { $0 % 2 == 0 }))
        #expect(table.count == 100)
    }

    @Test func `turns come in the order of insertion`() {
        var table = RequestTable()
        #expect(table.next == nil && !table.hasOrder)
        var expected: [UInt32] = []
        for round in 0..<10_000 {
            let token = table.insert(slot(isOrdered: round % 3 != 0))
            if round % 3 != 0 { expected.append(token) } else { table.release(token) }
            guard round > 20, let next = table.next else { continue }
            #expect(next == expected.removeFirst())
            table.release(next)
            table.advanceOrder()
        }
        #expect(table.count == expected.count)
    }
}
