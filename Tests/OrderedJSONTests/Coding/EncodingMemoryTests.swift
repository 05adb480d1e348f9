import Testing

@testable import OrderedJSON

/// Memory that encodings leave to later ones. Every other test of coding uses it too, in
/// `encoded(_:)`.
@Suite("EncodingMemory")
struct EncodingMemoryTests {
    private struct Counter: Encodable { var count: Int }

    private func text(_ value: some Encodable, _ memory: inout EncodingMemory) throws -> String {
        var writer = JSONWriter()
        try JSONCoding.encode(value, into: &writer, using: &memory)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The object that the next encoding uses.
    private func object(_ memory: EncodingMemory) -> ObjectIdentifier? {
        memory.state.map(ObjectIdentifier.init)
    }

    @Test func `the next encoding uses the same object`() throws {
        var memory = EncodingMemory()
        #expect(object(memory) == nil)
        #expect(try text(Counter(count: 1), &memory) == #"{"count":1}"#)
        let first = try #require(object(memory))
        #expect(try text(Counter(count: 2), &memory) == #"{"count":2}"#)
        #expect(object(memory) == first)
    }

    @Test func `two copies don't write into each other's memory`() throws {
        var memory = EncodingMemory()
        #expect(try text(Counter(count: 1), &memory) == #"{"count":1}"#)
        var copy = memory
        #expect(object(copy) == object(memory))
        #expect(try text(Counter(count: 2), &memory) == #"{"count":2}"#)
        #expect(try text(Counter(count: 3), &copy) == #"{"count":3}"#)
        #expect(object(copy) != object(memory))
    }

    /// Keeps its coder after it is encoded.
    private final class Keeping: Encodable {
        var coder: (any Encoder)?

        func encode(to encoder: any Encoder) throws {
            coder = encoder
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    @Test func `a coder that is kept can't write into later values`() throws {
        var memory = EncodingMemory()
        let keeping = Keeping()
        #expect(try text(keeping, &memory) == "1")
        #expect(object(memory) == nil)
        var writer = JSONWriter()
        var late = try #require(keeping.coder).singleValueContainer()
        try JSONCoding.encode(Writing { try late.encode(2) }, into: &writer, using: &memory)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"own":3}"#)
    }

    /// Keeps a container within it after it is encoded.
    private final class KeepingNested: Encodable {
        enum Key: CodingKey { case list }
        var list: (any UnkeyedEncodingContainer)?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            list = container.nestedUnkeyedContainer(forKey: .list)
        }
    }

    private struct Failing: Encodable {
        struct Refused: Error {}
        func encode(to encoder: any Encoder) throws { throw Refused() }
    }

    @Test func `a container that is kept can't change the errors of later values`() throws {
        var memory = EncodingMemory()
        let keeping = KeepingNested()
        #expect(try text(keeping, &memory) == #"{"list":[]}"#)
        #expect(object(memory) == nil)
        var late = try #require(keeping.list)
        let value = Writing {
            #expect(throws: Failing.Refused.self) { try late.encode(Failing()) }
            throw Failing.Refused()
        }
        var writer = JSONWriter()
        #expect {
            try JSONCoding.encode(value, into: &writer, using: &memory)
        } throws: {
            ($0 as? JSONEncodingError)?.path == "$"
        }
    }

    /// Does something while it is encoded.
    private struct Writing: Encodable {
        enum Key: CodingKey { case own }
        var act: () throws -> Void

        func encode(to encoder: any Encoder) throws {
            // It may fail, and may not change this value.
            do { try act() } catch is EncodingError {}
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(3, forKey: .own)
        }
    }

    @Test func `an encoding within an encoding has memory of its own`() throws {
        var memory = EncodingMemory()
        var inner = ""
        let value = Writing {
            var writer = JSONWriter()
            try JSONCoding.encode(Counter(count: 7), into: &writer)
            inner = String(decoding: writer.bytes, as: UTF8.self)
        }
        #expect(try text(value, &memory) == #"{"own":3}"#)
        #expect(inner == #"{"count":7}"#)
    }

    @Test func `the memory of a large value isn't kept`() throws {
        var memory = EncodingMemory()
        let large = Dictionary(uniqueKeysWithValues: (0..<100_000).map { ("\($0)", $0) })
        _ = try text(large, &memory)
        let state = try #require(memory.state)
        #expect(state.keptBytes <= JSONLimits.keptEncodingBytesMax)
    }
}
