import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// Random enums that code themselves, beside Foundation's coders: what is written can be read.
@Suite struct PlainEnumPropertyTests {
    /// How a member is written and read.
    enum Form: CaseIterable { case text, nested, payload, list, child, superCoder }

    /// How the decoder begins: with the members, or with a look at the keys.
    enum Beginning: CaseIterable { case members, keys, contains, type }

    /// How an enum codes itself.
    struct Plan: Sendable {
        var forms: [Keys: Form] = [:]
        var written: [Keys] = []
        var read: [Keys] = []
        var beginning = Beginning.members

        init(using random: inout SeededRandom) {
            for key in Keys.allCases.shuffled(using: &random) where Bool.random(using: &random) {
                forms[key] = key.isName ? .text : Form.allCases.randomElement(using: &random)
                written.append(key)
            }
            read = written.shuffled(using: &random)
            beginning = Beginning.allCases.randomElement(using: &random) ?? .members
        }
    }

    enum Keys: String, CodingKey, CaseIterable {
        case type, kind, a, b

        var isName: Bool { self == .type || self == .kind }
    }

    enum Inner: String, CodingKey, CaseIterable { case a, r, value, type }

    struct Payload: Codable, Equatable {
        var a: Int?
        var r: Int?
        var value: Int?
    }

    indirect enum Content: Equatable {
        case text(String)
        case numbers([String: Int])
        case list([Int])
        case child(Shape)
    }

    /// The enum: its members, as the plan says.
    enum Shape: Codable, Equatable {
        case members([String: Content])

        @TaskLocal static var plan: Plan?

        init(from decoder: any Decoder) throws {
            guard let plan = Self.plan else { throw CancellationError() }
            var members: [String: Content] = [:]
            let object = try decoder.container(keyedBy: Keys.self)
            let present = plan.beginning == .keys ? object.allKeys : nil
            if plan.beginning == .type {
                _ = try object.decodeIfPresent(String.self, forKey: .type)
            }
            for key in plan.read {
                if let present, !present.contains(key) { continue }
                if present == nil, !object.contains(key) { continue }
                members[key.rawValue] = try Self.content(plan.forms[key], key, in: object)
            }
            self = .members(members)
        }

        private static func content(
            _ form: Form?, _ key: Keys, in object: KeyedDecodingContainer<Keys>
        ) throws -> Content? {
            switch form {
            case nil: return nil
            case .text: return .text(try object.decode(String.self, forKey: key))
            case .nested:
                let inner = try object.nestedContainer(keyedBy: Inner.self, forKey: key)
                var numbers: [String: Int] = [:]
                for name in Inner.allCases {
                    numbers[name.rawValue] = try inner.decodeIfPresent(Int.self, forKey: name)
                }
                return .numbers(numbers)
            case .payload:
                let payload = try object.decode(Payload.self, forKey: key)
                var numbers: [String: Int] = [:]
                (numbers["a"], numbers["r"]) = (payload.a, payload.r)
                numbers["value"] = payload.value
                return .numbers(numbers)
            case .list:
                var list = try object.nestedUnkeyedContainer(forKey: key)
                var numbers: [Int] = []
                while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
                return .list(numbers)
            case .child: return .child(try object.decode(Shape.self, forKey: key))
            case .superCoder:
                let text = try object.superDecoder(forKey: key).singleValueContainer()
                return .text(try text.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            guard let plan = Self.plan, case .members(let members) = self else { return }
            var object = encoder.container(keyedBy: Keys.self)
            for key in plan.written {
                guard let content = members[key.rawValue] else { continue }
                switch content {
                case .text(let text) where plan.forms[key] == .superCoder:
                    var value = object.superEncoder(forKey: key).singleValueContainer()
                    try value.encode(text)
                case .text(let text): try object.encode(text, forKey: key)
                case .numbers(let numbers) where plan.forms[key] == .payload:
                    let payload = Payload(
                        a: numbers["a"], r: numbers["r"], value: numbers["value"])
                    try object.encode(payload, forKey: key)
                case .numbers(let numbers):
                    var inner = object.nestedContainer(keyedBy: Inner.self, forKey: key)
                    for name in Inner.allCases {
                        try inner.encodeIfPresent(numbers[name.rawValue], forKey: name)
                    }
                case .list(let numbers):
                    var list = object.nestedUnkeyedContainer(forKey: key)
                    for number in numbers { try list.encode(number) }
                case .child(let child): try object.encode(child, forKey: key)
                }
            }
        }
    }

    private static func shape(
        _ plan: Plan, depth: Int, using random: inout SeededRandom
    ) -> Shape {
        var members: [String: Content] = [:]
        for (key, form) in plan.forms.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if Int.random(in: 0..<5, using: &random) == 0 { continue }
            let content: Content?
            switch form {
            case .text, .superCoder:
                content = ["a", "b", "type", "other", "\"\\é"].randomElement(using: &random)
                    .map(Content.text)
            case .nested, .payload:
                var numbers: [String: Int] = [:]
                for name in form == .nested ? ["a", "r", "value", "type"] : ["a", "r", "value"]
                where Int.random(in: 0..<(name == "type" ? 9 : 2), using: &random) == 0 {
                    numbers[name] = Int.random(in: 0...9, using: &random)
                }
                content = .numbers(numbers)
            case .list: content = .list((0..<Int.random(in: 0...2, using: &random)).map { $0 })
            case .child:
                content =
                    depth == 0
                    ? nil
                    : .child(shape(plan, depth: depth - 1, using: &random))
            }
            members[key.rawValue] = content
        }
        return .members(members)
    }

    struct State: Codable, Equatable {
        var one: Shape
        var maybe: Shape?
        var all: [String: [Shape]]
    }

    @Test func `what a hand-written enum writes is read back, or refused at once`() throws {
        let seed = testSeed("PlainEnumPropertyTests")
        var random = SeededRandom(seed: seed)
        // Above all, enums that list their keys while one of these is `type`.
        var refused = 0
        let count = 3_000
        for index in 0..<count {
            let plan = Plan(using: &random)
            func shape() -> Shape { Self.shape(plan, depth: 2, using: &random) }
            let state = State(one: shape(), maybe: shape(), all: ["x": [shape()]])
            try Shape.$plan.withValue(plan) {
                let theirs = try JSONEncoder().encode(state)
                #expect(try JSONDecoder().decode(State.self, from: theirs) == state)
                var writer = JSONWriter()
                do {
                    try JSONCoding.encode(state, into: &writer)
                } catch {
                    refused += 1
                    let isClear =
                        "\(error)".contains("read back as another")
                        || "\(error)".contains("label \"type\"")
                    #expect(isClear, "seed \(seed), \(index): \(error)")
                    return
                }
                let text = String(decoding: writer.bytes, as: UTF8.self)
                do {
                    let back = try decoded(State.self, text)
                    #expect(back == state, "seed \(seed), \(index): \(plan) \(text)")
                } catch {
                    Issue.record("seed \(seed), \(index): \(error) \(plan) \(text)")
                }
            }
        }
        #expect(refused < count / 5, "seed \(seed)")
    }
}
