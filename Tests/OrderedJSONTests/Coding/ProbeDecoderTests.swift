import OrderedJSON
import Testing

/// Code that reads itself in a way of its own, and isn't to be given what nobody sent.
@Suite("ProbeDecoder")
struct ProbeDecoderTests {
    struct Point: Codable { var x: Int, y: Int }

    /// Would trap if it were given a value, or the key it asks for.
    enum Handwritten: Codable {
        case a(Int), b
        enum CodingKeys: CodingKey { case a, b }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch container.allKeys[0] {
            case .a:
                let value = try container.decode(Int.self, forKey: .a)
                precondition(value > 0, "a value that nobody sent")
                self = .a(value)
            case .b: self = .b
            }
        }
    }

    /// Reads itself as a struct would, with keys that are no enum.
    enum Odd: Decodable {
        case it
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            guard let key = Key(stringValue: "it"), try container.decode(Bool.self, forKey: key)
            else { throw CancellationError() }
            self = .it
        }
    }

    enum Careless: Decodable {
        case it
        init(from decoder: any Decoder) { self = .it }
    }

    /// Traps on an amount of nothing; so it is never made.
    struct Amount: Codable {
        var value: Int
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            precondition(value != 0, "a value that nobody sent")
        }
    }
    enum WithAmount: Codable { case pay(Amount, tip: Int), pass }

    /// Takes an integer or a text.
    struct Code: Codable {
        var text: String
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }

    /// Takes the one or the other, of whatever types.
    enum Either<One: Codable, Other: Codable>: Codable {
        case one(One), other(Other)
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(One.self) {
                self = .one(value)
            } else {
                self = .other(try container.decode(Other.self))
            }
        }
    }

    /// Takes a text, or an object.
    struct Place: Codable {
        var name: String
        private enum CodingKeys: CodingKey { case name }
        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                name = text
            } else {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                name = try container.decode(String.self, forKey: .name)
            }
        }
    }

    enum WithChoices: Codable {
        case a(Code), b(Either<Amount, String>), c(Either<Bool, Amount>)
        case d(Either<String, String>), e(Place), f(Either<Either<Int, Int>, Place>)
    }

    @Test func `a value of several possible types is left out`() {
        let cases = JSONCoding.cases(of: WithChoices.self)
        #expect(
            cases?.map { $0.members.first?.expected }
                == [nil, nil, nil, "a string", nil, nil])
        #expect(cases?.map(\.name) == ["a", "b", "c", "d", "e", "f"])
    }

    /// Hands itself on to another type.
    struct Wrapped<Value: Codable>: Codable {
        var value: Value
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }
    }
    typealias Twice<Value: Codable> = Wrapped<Wrapped<Value>>
    typealias Often<Value: Codable> = Twice<Twice<Twice<Twice<Value>>>>
    enum WithWrapped: Codable { case a(Often<Int>), b(Wrapped<Often<Int>>) }

    @Test func `nested types are examined eight deep`() {
        let members = JSONCoding.cases(of: WithWrapped.self)?.compactMap(\.members.first)
        #expect(members?.map(\.expected) == ["an integer", nil])
    }

    enum Long: Codable {
        case it(
            Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
            Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
            Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
            Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int)
        case other
    }

    @Test func `of a case with more than sixty-four values the first are listed`() {
        let cases = JSONCoding.cases(of: Long.self)
        #expect(cases?.map(\.members.count) == [64, 0])
        #expect(cases?[0].members.last?.name == "_63")
    }

    @Test func `hand-written code gets no value, and isn't used`() {
        #expect(JSONCoding.cases(of: Handwritten.self) == nil)
        #expect(JSONCoding.cases(of: Odd.self) == nil)
        #expect(JSONCoding.cases(of: Careless.self) == nil)
        #expect(JSONCoding.cases(of: Point.self) == nil)
        #expect(JSONCoding.cases(of: JSONValue.self) == nil)
        let cases = JSONCoding.cases(of: WithAmount.self)
        #expect(cases?.map(\.name) == ["pay", "pass"])
        #expect(cases?[0].members.map(\.expected) == ["an integer", nil])
    }
}
