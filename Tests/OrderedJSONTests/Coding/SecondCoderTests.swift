import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// The bridge beside Foundation's coders: where enums, numbers and order play no part, both must
/// come to the same values.
@Suite struct SecondCoderTests {
    struct Leaf: Codable, Equatable {
        var name: String
        var size: Int?
        var ratio: Double
        var flags: [Bool]
    }

    struct Branch: Codable, Equatable {
        var id: UInt32
        var leaves: [Leaf]
        var byName: [String: Leaf]
        var byNumber: [Int: String?]
        var pair: [[Int8]]
        var small: Float?
        var set: Set<String>
        var inner: [Branch]
    }

    private static func leaf(using random: inout SeededRandom) -> Leaf {
        let double = Double(bitPattern: random.next())
        return Leaf(
            name: ValueMaker.string(using: &random),
            size: Bool.random(using: &random) ? Int.random(in: -1000...1000, using: &random) : nil,
            ratio: double.isFinite ? double : 1.5,
            flags: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Bool.random(using: &random)
            })
    }

    private static func branch(depth: Int, using random: inout SeededRandom) -> Branch {
        func count() -> Range<Int> { 0..<Int.random(in: 0...4, using: &random) }
        var byName: [String: Leaf] = [:]
        for _ in count() {
            byName[ValueMaker.string(using: &random)] = leaf(using: &random)
        }
        var byNumber: [Int: String?] = [:]
        for _ in count() {
            let text = Bool.random(using: &random) ? ValueMaker.string(using: &random) : nil
            byNumber[Int.random(in: -50...50, using: &random)] = .some(text)
        }
        return Branch(
            id: UInt32.random(in: 0...UInt32.max, using: &random),
            leaves: count().map { _ in leaf(using: &random) },
            byName: byName, byNumber: byNumber,
            pair: count().map { _ in
                count().map { _ in Int8.random(in: Int8.min...Int8.max, using: &random) }
            },
            small: Bool.random(using: &random) ? Float.random(in: -10...10, using: &random) : nil,
            set: Set(count().map { _ in ValueMaker.string(using: &random) }),
            inner: depth == 0 ? [] : count().map { _ in branch(depth: depth - 1, using: &random) })
    }

    @Test func `each coder reads what the other wrote`() throws {
        let seed = testSeed("SecondCoderTests")
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let value = Self.branch(depth: 2, using: &random)
            let ours = try encoded(value)
            #expect(try decoded(Branch.self, ours) == value, "seed \(seed)")
            #expect(try encoded(decoded(Branch.self, ours)) == ours, "seed \(seed)")
            let theirs = try JSONEncoder().encode(value)
            let text = String(decoding: theirs, as: UTF8.self)
            #expect(try decoded(Branch.self, text) == value, "seed \(seed)")
            let back = try JSONDecoder().decode(Branch.self, from: Data(ours.utf8))
            #expect(back == value, "seed \(seed)")
        }
    }

    @Test func `any JSON is decoded, or refused with a path that exists`() throws {
        let seed = testSeed("SecondCoderTests")
        var random = SeededRandom(seed: seed)
        var refused = 0
        for _ in 0..<500 {
            let value = Self.branch(depth: 1, using: &random)
            var json = try JSONValue(parsing: Array(encoded(value).utf8))
            Self.disturb(&json, using: &random)
            let document = try JSONDocument(parsing: json.serialized())
            do {
                _ = try JSONCoding.decode(Branch.self, from: document, at: document.root)
            } catch {
                refused += 1
                #expect(error.path.hasPrefix("$"), "seed \(seed)")
                #expect(!error.message.isEmpty, "seed \(seed)")
            }
            _ = try? JSONCoding.decode(CounterEvent.self, from: document, at: document.root)
            _ = try? JSONCoding.decode(Set<Double>.self, from: document, at: document.root)
            #expect(throws: Never.self) {
                try JSONCoding.decode(JSONValue.self, from: document, at: document.root)
            }
        }
        #expect(refused > 50, "seed \(seed)")
    }

    /// Puts something else in one place.
    private static func disturb(_ value: inout JSONValue, using random: inout SeededRandom) {
        let isHere = Int.random(in: 0..<3, using: &random) == 0
        switch value {
        case .object(var object) where !isHere && !object.isEmpty:
            guard let member = object.members.randomElement(using: &random) else { return }
            var inner = member.value
            disturb(&inner, using: &random)
            object[member.name] = inner
            value = .object(object)
        case .array(var elements) where !isHere && !elements.isEmpty:
            let place = Int.random(in: 0..<elements.count, using: &random)
            disturb(&elements[place], using: &random)
            value = .array(elements)
        default: value = ValueMaker.value(depth: 4, using: &random)
        }
    }
}
