import Testing

@testable import Transducers

@Suite("WaitingLine")
struct WaitingLineTests {
    @Test func `first come, first served, and anyone may leave`() {
        var line = WaitingLine<String>()
        // The numbers are names, not the order.
        for (name, number) in [("a", 3), ("b", 1), ("c", 4), ("d", 2)] {
            line.append(name, number: UInt64(number))
        }
        #expect(line.remove(1) == "b")
        #expect(line.remove(1) == nil)
        #expect(line.first == "a")
        #expect(line.remove(3) == "a")
        #expect(line.first == "c")
        #expect(line.popFirst() == "c")
        line.append("e", number: 5)
        #expect(line.count == 2)
        #expect(line.removeAll() == ["d", "e"])
        #expect(line.popFirst() == nil)
    }

    @Test func `many who come and leave are forgotten, in any order`() {
        var line = WaitingLine<UInt64>()
        line.append(0, number: 0)
        for number in 1...10_000 as ClosedRange<UInt64> {
            line.append(number, number: number)
            if !number.isMultiple(of: 1_000) { _ = line.remove(number) }
        }
        #expect(line.count == 11)
        #expect(line.removeAll() == Array(0...10).map { $0 * 1_000 })
    }

    @Test func `senders that wait are let in in order, as far as there is room`() async throws {
        let channel = EventChannel<Int>(capacity: 1)
        try channel.begin(effectCapacity: 2, onStop: { _ in })
        let run = EffectRunID(1)
        try channel.send(1, answer: nil)
        for number in [2, 3] { try channel.send(number, from: run, answer: nil) }
        var senders: [Task<Void, any Error>] = []
        for number in 4...9 {
            senders.append(
                Task {
                    if number.isMultiple(of: 2) {
                        try await channel.enqueue(number, from: run)
                    } else {
                        try await channel.enqueue(number)
                    }
                })
            await until { channel.senderCount == number - 3 }
        }
        senders[3].cancel()
        await #expect(throws: TransducerError.cancelled) { try await senders[3].value }
        var taken: [[Int]] = []
        while true {
            var batch: [Envelope<Int>] = []
            channel.takeAll(into: &batch)
            if batch.isEmpty { break }
            taken.append(
                batch.compactMap { envelope in
                    if case .event(let number, _, _) = envelope { number } else { nil }
                })
        }
        #expect(taken == [[1, 2, 3], [4, 5, 6], [8, 9]])
    }
}
