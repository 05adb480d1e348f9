import OrderedJSON
import Testing

/// Enums that code themselves.
@Suite struct HandwrittenEnumTests {
    enum Shape: Codable, Equatable {
        case circle(Double)
        case square(Double)

        enum CodingKeys: String, CodingKey { case kind, size }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let size = try container.decode(Double.self, forKey: .size)
            let kind = try container.decode(String.self, forKey: .kind)
            guard kind == "circle" || kind == "square" else {
                throw DecodingError.dataCorruptedError(
                    forKey: .kind, in: container, debugDescription: "no such shape")
            }
            self = kind == "circle" ? .circle(size) : .square(size)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .circle(let size):
                try container.encode("circle", forKey: .kind)
                try container.encode(size, forKey: .size)
            case .square(let size):
                try container.encode("square", forKey: .kind)
                try container.encode(size, forKey: .size)
            }
        }
    }

    @Test func `hand-written members are kept`() throws {
        try expectRoundTrip(
            [Shape.circle(1.5), .square(2)],
            #"[{"kind":"circle","size":1.5},{"kind":"square","size":2.0}]"#)
        let error = try decodingError([Shape].self, #"[{"kind":"x","size":1}]"#)
        #expect(error?.path == "$[0].kind")
        #expect(error?.message == "no such shape")
        #expect(try decodingError(Shape.self, #"{"kind":"circle"}"#)?.path == "$.size")
    }

    enum Amount: Codable, Equatable {
        case number(Int)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
            }
        }
    }

    @Test func `a hand-written single value is kept`() throws {
        try expectRoundTrip(["a": Amount.number(1), "b": .text("x")], #"{"a":1,"b":"x"}"#)
        let error = try decodingError([Amount].self, "[1,true]")
        #expect(error?.path == "$[1]")
        #expect(error?.message == "expected a string, found a bool")
    }

    enum Pair: Codable, Equatable {
        case pair(Int, Int)

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            self = .pair(try container.decode(Int.self), try container.decode(Int.self))
        }

        func encode(to encoder: any Encoder) throws {
            guard case .pair(let one, let other) = self else { return }
            var container = encoder.unkeyedContainer()
            try container.encode(one)
            try container.encode(other)
        }
    }

    @Test func `a hand-written array is kept`() throws {
        try expectRoundTrip([Pair.pair(1, 2)], "[[1,2]]")
    }

    enum Delegating: Codable, Equatable {
        case payload(Payload)

        struct Payload: Codable, Equatable {
            var a: Int
            var b: [Int]
        }

        init(from decoder: any Decoder) throws { self = .payload(try Payload(from: decoder)) }

        func encode(to encoder: any Encoder) throws {
            guard case .payload(let payload) = self else { return }
            try payload.encode(to: encoder)
        }
    }

    @Test func `an enum may pass its coder on to a struct`() throws {
        try expectRoundTrip(
            ["x": Delegating.payload(.init(a: 1, b: [2]))], #"{"x":{"a":1,"b":[2]}}"#)
    }

    struct Wrapper: Codable, Equatable {
        var coin: Coin

        init(coin: Coin) { self.coin = coin }

        init(from decoder: any Decoder) throws {
            coin = try decoder.singleValueContainer().decode(Coin.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(coin)
        }
    }

    @Test func `a struct around an enum goes through a single value`() throws {
        try expectRoundTrip([Wrapper(coin: .dime)], #"["dime"]"#)
    }
}
