import Synchronization
import Testing

@testable import OrderedJSON

@Suite("TextMemory")
struct TextMemoryTests {
    private enum Light: Codable, CaseIterable { case red, green }

    private enum Door: Codable { case open, closed }

    /// Has seven bytes without a value between its members.
    private struct Padded: Codable {
        var flag: Bool
        var count: Int64
    }

    private enum Mixed: Codable, Equatable {
        case number(Int64)
        case small(UInt8)
        case none
    }

    private struct Wide: Codable { var (a, b, c, d) = (1, 2, 3, 4) }

    private struct TooWide: Codable { var (a, b, c, d, e) = (1, 2, 3, 4, 5) }

    private struct Word: Codable { var text: String }

    /// Counts how often it is encoded.
    private struct Counted: Encodable {
        static let encodings = Atomic(0)
        var number: Int32

        func encode(to encoder: any Encoder) throws {
            Counted.encodings.add(1, ordering: .relaxed)
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
    }

    /// Writes a value as a step does.
    private func text(_ value: some Encodable, _ memory: inout TextMemory) throws -> String {
        var writer = JSONWriter()
        let known = memory.recall(value, into: &writer)
        if known != .written { try JSONCoding.encode(value, into: &writer) }
        if case .slot(let slot) = known { memory.remember(writer.bytes, in: slot) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func isWritten(_ value: some Encodable, _ memory: inout TextMemory) -> Bool {
        var writer = JSONWriter()
        return memory.recall(value, into: &writer) == .written
    }

    @Test func `a value is known from its third time on`() throws {
        var memory = TextMemory(slots: 64)
        var writer = JSONWriter()
        #expect(memory.recall(Light.green, into: &writer) == .nothing)
        guard case .slot(let slot) = memory.recall(Light.green, into: &writer) else {
            Issue.record("it has come before")
            return
        }
        memory.remember(Array(#""green""#.utf8), in: slot)
        #expect(writer.bytes.isEmpty)
        #expect(memory.recall(Light.green, into: &writer) == .written)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #""green""#)
    }

    @Test func `a known value isn't encoded`() throws {
        var memory = TextMemory(slots: 64)
        for _ in 0..<10 { #expect(try text(Counted(number: 7), &memory) == "7") }
        #expect(Counted.encodings.load(ordering: .relaxed) == 2)
    }

    @Test func `its text is appended to what was written before`() throws {
        var memory = TextMemory(slots: 64)
        for _ in 0..<3 { _ = try text(Light.red, &memory) }
        var writer = JSONWriter()
        writer.literal("[")
        #expect(memory.recall(Light.red, into: &writer) == .written)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"["red""#)
    }

    @Test func `equal bits of two types are two values`() throws {
        // One slot, so that each type would find the entry of the other.
        var memory = TextMemory(slots: 1)
        for _ in 0..<3 { #expect(try text(Light.red, &memory) == #""red""#) }
        for _ in 0..<3 { #expect(try text(Door.open, &memory) == #""open""#) }
        for _ in 0..<3 { #expect(try text(Light.red, &memory) == #""red""#) }
    }

    @Test func `values with all kinds of bits keep their texts`() throws {
        var memory = TextMemory(slots: 16)
        for index in 0..<5_000 as Range<Int64> {
            // 41 numbers in an order that repeats late.
            let number = (index &* index &* 7_919) % 41 - 20
            let padded = Padded(flag: number.isMultiple(of: 2), count: number)
            #expect(
                try text(padded, &memory)
                    == #"{"flag":\#(padded.flag),"count":\#(number)}"#)
            #expect(
                try text(Mixed.number(number), &memory)
                    == #"{"type":"number","value":\#(number)}"#)
            #expect(
                try text(Mixed.small(UInt8(number.magnitude)), &memory)
                    == #"{"type":"small","value":\#(number.magnitude)}"#)
            #expect(try text(Mixed.none, &memory) == #""none""#)
            #expect(try text(Double(number) / 4, &memory) == (Double(number) / 4).description)
        }
    }

    @Test func `zero and minus zero are two values`() throws {
        var memory = TextMemory(slots: 1)
        for _ in 0..<3 { #expect(try text(0.0, &memory) == "0.0") }
        for _ in 0..<3 { #expect(try text(-0.0, &memory) == "-0.0") }
    }

    @Test func `types that are large, or more than bits, aren't kept`() throws {
        var memory = TextMemory(slots: 64)
        for _ in 0..<3 {
            _ = try text(Wide(), &memory)
            _ = try text(TooWide(), &memory)
            _ = try text(Word(text: "a"), &memory)
            _ = try text([1], &memory)
            _ = try text(5, &memory)
        }
        #expect(isWritten(Wide(), &memory))
        #expect(!isWritten(TooWide(), &memory))
        #expect(!isWritten(Word(text: "a"), &memory))
        #expect(!isWritten([1], &memory))
        // An integer is written as fast as it is found.
        #expect(!isWritten(5, &memory))
    }

    private struct Nothing: Codable {}

    private enum Only: Codable { case one }

    // Optimized code has no address of such a value, so it must never be looked at.
    @Test func `values without bits aren't kept`() throws {
        var memory = TextMemory(slots: 64)
        var writer = JSONWriter()
        for _ in 0..<4 {
            #expect(memory.recall(Nothing(), into: &writer) == .nothing)
            #expect(memory.recall(Only.one, into: &writer) == .nothing)
            #expect(try text(Nothing(), &memory) == "{}")
            #expect(try text(Only.one, &memory) == #""one""#)
        }
    }

    @Test func `a memory without slots knows nothing`() throws {
        var memory = TextMemory()
        for _ in 0..<4 {
            #expect(!isWritten(Light.red, &memory))
            #expect(try text(Light.red, &memory) == #""red""#)
        }
    }

    @Test func `long texts aren't kept`() {
        var memory = TextMemory(slots: 1)
        var writer = JSONWriter()
        for count in [TextMemory.textBytesMax, TextMemory.textBytesMax + 1] {
            let value = UInt8(count == TextMemory.textBytesMax ? 1 : 2)
            #expect(memory.recall(value, into: &writer) == .nothing)
            #expect(memory.recall(value, into: &writer) == .slot(0))
            memory.remember(Array(repeating: 0x20, count: count), in: 0)
            let isKept = count == TextMemory.textBytesMax
            #expect((memory.recall(value, into: &writer) == .written) == isKept)
        }
    }

    @Test func `values that come once push others out, and aren't kept`() throws {
        var memory = TextMemory(slots: 4)
        for number in 0..<200 as Range<UInt32> {
            for _ in 0..<2 { #expect(try text(Light.green, &memory) == #""green""#) }
            #expect(isWritten(Light.green, &memory))
            #expect(try text(number, &memory) == "\(number)")
            #expect(!isWritten(number, &memory))
        }
    }
}
