import GroveTestSupport
import Testing

@testable import GroveEngine

@Suite("ResidentList")
struct ResidentListTests {
    private func resident(_ number: Int) throws -> Resident {
        let name = try #require(InstanceName("counter/\(number)"))
        return Resident(stored: StoredInstance(number: InstanceNumber(Int64(number)), name: name))
    }

    @Test func `instances stay at their indexes while the list grows and shrinks`() throws {
        var list = ResidentList()
        // More than two chunks.
        for number in 0..<10_000 { list.append(try resident(number)) }
        let full = list.count
        #expect(full == 10_000)
        for place in 0..<full {
            let number = list[place].stored.number.value
            #expect(number == Int64(place))
        }
        for place in 0..<full { list[place].stored.version = Int64(place) * 2 }
        for number in (0..<10_000).reversed() {
            let last = list.removeLast()
            #expect(last.stored.number.value == Int64(number))
            #expect(last.stored.version == Int64(number) * 2)
            // Grows again within the chunk that is kept, and at its border.
            list.append(last)
            _ = list.removeLast()
        }
        let left = list.count
        #expect(left == 0)
    }

    @Test func `the list releases its instances`() throws {
        weak var released: InstanceEffects?
        do {
            var list = ResidentList()
            var held = try resident(1)
            let effects = InstanceEffects([], of: InstanceNumber(1), lastNumber: 0)
            held.effects = effects
            released = effects
            list.append(held)
        }
        #expect(released == nil)
    }
}
