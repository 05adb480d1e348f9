import GroveEngine
import GroveWire
import Testing
import Transducers

@testable import GroveProtocol

@Suite("EventMemory")
struct EventMemoryTests {
    private final class Numbered: HostedEvent {
        let number: Int

        init(_ number: Int) { self.number = number }

        func canonicalText() throws(StepFailure) -> [UInt8] { Array("\(number)".utf8) }

        func copy() -> any HostedEvent { Numbered(number) }
    }

    private func find(
        _ text: String, hash: UInt64? = nil, turn: UInt64, in memory: inout EventMemory
    ) -> (event: EventInput, text: [UInt8])? {
        Array(text.utf8).withUnsafeBytes {
            memory.find($0, hash: hash ?? ByteHash.of($0), turn: turn)
        }
    }

    private func remember(
        _ text: String, _ number: Int, hash: UInt64? = nil, turn: UInt64,
        in memory: inout EventMemory
    ) {
        let text = Array(text.utf8)
        let hash = hash ?? text.withUnsafeBytes { ByteHash.of($0) }
        memory.remember(text, hash: hash, event: .decoded(Numbered(number)), turn: turn)
    }

    private func numbered(_ known: (event: EventInput, text: [UInt8])?) throws -> Numbered {
        guard case .decoded(let event)? = known?.event else {
            Issue.record("the event isn't remembered")
            throw CancellationError()
        }
        return try #require(event as? Numbered)
    }

    private func address(_ text: [UInt8]?) -> UInt {
        text?.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } ?? 0
    }

    @Test func `a full memory forgets events, and never answers wrongly`() throws {
        var memory = EventMemory()
        var found = 0
        for round in 0..<30_000 {
            let (text, turn) = ("event-\(round % 3_000)", UInt64(round / 7))
            if let known = find(text, turn: turn, in: &memory) {
                found += 1
                #expect(known.text == Array(text.utf8))
                #expect(try numbered(known).number == round % 3_000)
            } else {
                remember(text, round % 3_000, turn: turn, in: &memory)
            }
        }
        #expect(found > 1_000)
    }

    @Test func `events with the same hash are told apart, also with the hash of none`() throws {
        for hash in [0, 1, .max] as [UInt64] {
            var memory = EventMemory()
            #expect(find("a", hash: hash, turn: 1, in: &memory) == nil)
            for number in 0..<20 {
                remember("e\(number)", number, hash: hash, turn: 1, in: &memory)
            }
            for number in 0..<20 {
                let known = find("e\(number)", hash: hash, turn: 2, in: &memory)
                #expect(try numbered(known).number == number)
            }
            #expect(find("e20", hash: hash, turn: 2, in: &memory) == nil)
        }
    }

    @Test func `requests of one turn share a copy, which no other turn's have`() throws {
        var memory = EventMemory()
        remember("a", 1, turn: 1, in: &memory)
        let first = find("a", turn: 1, in: &memory)
        let again = find("a", turn: 1, in: &memory)
        #expect(try numbered(first) === numbered(again))
        #expect(address(first?.text) == address(again?.text))

        let next = find("a", turn: 2, in: &memory)
        #expect(try numbered(next) !== numbered(first))
        #expect(address(next?.text) != address(first?.text))
        #expect(next?.text == first?.text)
        #expect(try numbered(next).number == 1)
        #expect(try numbered(find("a", turn: 2, in: &memory)) === numbered(next))
    }

    @Test func `an event that only the machine may send stays one`() throws {
        var memory = EventMemory()
        let text = Array("a".utf8)
        let hash = text.withUnsafeBytes { ByteHash.of($0) }
        memory.remember(
            text, hash: hash, event: .internalOnly(Numbered(1), name: "tick"), turn: 1)
        guard case .internalOnly(let event, "tick")? = find("a", turn: 2, in: &memory)?.event else {
            Issue.record("the event is another one")
            return
        }
        #expect((event as? Numbered)?.number == 1)
    }
}
