import OrderedJSON
import Testing

/// Hand-written coding: nested containers, superclasses, several containers of one value.
@Suite struct ContainerTests {
    enum Key: String, CodingKey { case a, b, c, list }

    struct Nested: Codable, Equatable {
        var a = 1
        var b = [2, 3]
        var deep = "x"

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let inner = try container.nestedContainer(keyedBy: Key.self, forKey: .a)
            a = try inner.decode(Int.self, forKey: .b)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            b = []
            #expect(list.count == 3 && list.currentIndex == 0)
            b.append(try list.decode(Int.self))
            b.append(try list.decode(Int.self))
            let last = try list.nestedContainer(keyedBy: Key.self)
            #expect(list.isAtEnd && list.currentIndex == 3)
            var innermost = try last.nestedUnkeyedContainer(forKey: .c)
            deep = try innermost.decode(String.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var inner = container.nestedContainer(keyedBy: Key.self, forKey: .a)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            // Filled in another order than they were made in, and after their parent went on.
            try list.encode(b[0])
            try container.encode(true, forKey: .c)
            try inner.encode(a, forKey: .b)
            try list.encode(b[1])
            var last = list.nestedContainer(keyedBy: Key.self)
            var innermost = last.nestedUnkeyedContainer(forKey: .c)
            #expect(list.count == 3)
            try innermost.encode(deep)
        }
    }

    @Test func `nested containers are where they were made, whenever they are filled`() throws {
        try expectRoundTrip(Nested(), #"{"a":{"b":1},"list":[2,3,{"c":["x"]}],"c":true}"#)
        try expectRoundTrip(
            ["k": [Nested()]], #"{"k":[{"a":{"b":1},"list":[2,3,{"c":["x"]}],"c":true}]}"#)
    }

    class Base: Codable {
        var id = 1
        init() {}
    }

    class Derived: Base {
        var name = "n"

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            name = try container.decode(String.self, forKey: .b)
            try super.init(from: container.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try super.encode(to: container.superEncoder())
            try container.encode(name, forKey: .b)
        }
    }

    @Test func `a superclass has the member super`() throws {
        #expect(try encoded(Derived()) == #"{"super":{"id":1},"b":"n"}"#)
        let object = try decoded(Derived.self, #"{"b":"m","super":{"id":7}}"#)
        #expect(object.name == "m" && object.id == 7)
        #expect(try decodingError(Derived.self, #"{"b":"m"}"#)?.path == "$.super")
        #expect(try decodingError(Derived.self, #"{"b":"m","super":{}}"#)?.path == "$.super.id")
    }

    struct Shared: Codable, Equatable {
        var base = StructCodingTests.State(count: 1)
        var extra = 2

        init() {}

        init(from decoder: any Decoder) throws {
            base = try StructCodingTests.State(from: decoder)
            extra = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .a)
        }

        func encode(to encoder: any Encoder) throws {
            try base.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(extra, forKey: .a)
        }
    }

    @Test func `two values may share one object`() throws {
        try expectRoundTrip([Shared()], #"[{"count":1,"a":2}]"#)
    }

    struct Encoders: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            _ = container.superEncoder(forKey: .a)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encodeNil()
            try 5.encode(to: list.superEncoder())
            try [Coin.dime].encode(to: list.superEncoder())
            _ = list.nestedUnkeyedContainer()
            _ = container.nestedContainer(keyedBy: Key.self, forKey: .b)
            try container.encodeNil(forKey: .c)
        }
    }

    @Test func `a container that is never filled is empty`() throws {
        #expect(try encoded(Encoders()) == #"{"a":{},"list":[null,5,["dime"],[]],"b":{},"c":null}"#)
    }

    struct Decoders: Decodable {
        var values: [String] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            values.append(contentsOf: container.allKeys.map(\.rawValue))
            values.append("\(container.contains(.a)) \(container.contains(.c))")
            values.append("\(try container.decodeNil(forKey: .b))")
            let other = try container.superDecoder(forKey: .a)
            values.append("\(try other.singleValueContainer().decode(Int.self))")
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            values.append("\(try list.decodeNil()) \(try list.decodeNil())")
            values.append("\(try Int(from: list.superDecoder()))")
            values.append("\(try list.nestedUnkeyedContainer().isAtEnd)")
            values.append("\(try list.decodeIfPresent(Int.self) ?? -1)")
        }
    }

    @Test func `every accessor of a container works`() throws {
        let text = #"{"a":4,"b":null,"unknown":0,"list":[null,5,[],null]}"#
        #expect(
            try decoded(Decoders.self, text).values
                == ["a", "b", "list", "true false", "true", "4", "true false", "5", "true", "-1"])
    }

    struct Paths: Codable {
        init() {}

        init(from decoder: any Decoder) throws {
            #expect(path(decoder.codingPath) == "list/1")
            let container = try decoder.container(keyedBy: Key.self)
            #expect(path(container.codingPath) == "list/1")
            let inner = try container.nestedUnkeyedContainer(forKey: .a)
            #expect(path(inner.codingPath) == "list/1/a")
            #expect(decoder.userInfo.isEmpty)
        }

        func encode(to encoder: any Encoder) throws {
            #expect(path(encoder.codingPath) == "list/1")
            var container = encoder.container(keyedBy: Key.self)
            #expect(path(container.codingPath) == "list/1")
            var inner = container.nestedUnkeyedContainer(forKey: .a)
            try inner.encode(1)
            #expect(encoder.userInfo.isEmpty)
        }

        private func path(_ keys: [any CodingKey]) -> String {
            keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        }
    }

    struct Second: Codable {
        var first = 0
        var second = Paths()

        init() {}

        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            first = try container.decode(Int.self)
            second = try container.decode(Paths.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(first)
            try container.encode(second)
        }
    }

    @Test func `coding paths lead from the root`() throws {
        #expect(try encoded(["list": Second()]) == #"{"list":[0,{"a":[1]}]}"#)
        _ = try decoded([String: Second].self, #"{"list":[0,{"a":[1]}]}"#)
    }

    struct Nothing: Codable, Equatable {
        init() {}
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {}
    }

    struct Empty: Codable, Equatable {}

    @Test func `a value that writes nothing is an empty object`() throws {
        #expect(try encoded([Nothing()]) == "[{}]")
        #expect(try encoded(Nothing()) == "{}")
        try expectRoundTrip(Empty(), "{}")
        try expectRoundTrip(["a": Empty()], #"{"a":{}}"#)
    }
}
