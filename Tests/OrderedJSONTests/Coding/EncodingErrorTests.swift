import OrderedJSON
import Testing

/// Values that can't be encoded, and the writer after the error.
@Suite struct EncodingErrorTests {
    struct Holder<Value: Encodable>: Encodable {
        var ok = 1
        var list: [Value]
    }

    private func refused(_ value: some Encodable, _ word: String) {
        let error = encodingError(Holder(list: [value]))
        #expect(error?.path == "$.list[0]")
        #expect(error?.message.contains(word) == true)
        #expect(encodingError(value)?.path == "$")
        #expect(encodingError(["k": value])?.path == "$.k")
    }

    @Test func `a number that isn't finite is refused`() {
        refused(Double.infinity, "inf")
        refused(Double.nan, "nan")
        refused(-Float.infinity, "-inf")
        refused(Float.nan, "nan")
    }

    @Test func `integers that JSON doesn't carry exactly are refused`() throws {
        refused(9_007_199_254_740_992, "±(2^53 − 1)")
        refused(Int64.min, "±(2^53 − 1)")
        refused(UInt64.max, "±(2^53 − 1)")
        refused(UInt(9_007_199_254_740_992), "±(2^53 − 1)")
        refused(Int128.max, "±(2^53 − 1)")
        refused(UInt128.max, "±(2^53 − 1)")
        #expect(try encoded([-9_007_199_254_740_991]) == "[-9007199254740991]")
    }

    @Test func `the path leads through enums and dictionaries`() {
        enum Event: Encodable { case rate(by: [String: Double]) }
        #expect(encodingError([Event.rate(by: ["a b": .nan])])?.path == #"$[0].by["a b"]"#)
    }

    struct Foreign: Encodable {
        struct Refused: Error {}
        func encode(to encoder: any Encoder) throws { throw Refused() }
    }

    struct InNested: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ContainerTests.Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encode(Foreign())
        }
    }

    struct NestedNumber: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ContainerTests.Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var inner = list.nestedContainer(keyedBy: ContainerTests.Key.self)
            try inner.encode(Double.nan, forKey: .b)
        }
    }

    /// Encodes what fails in the middle of a dictionary, and continues.
    struct Continuing: Encodable {
        enum Key: CodingKey { case values, own }
        var number: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            let values = Dictionary(
                uniqueKeysWithValues: (0..<20).map { ("\(number) \($0)", Double($0)) })
            try container.encode(1, forKey: .own)
            do {
                let failing = values.merging(["last": .infinity]) { $1 }
                try container.encode(failing, forKey: .values)
            } catch is EncodingError {}
        }
    }

    @Test func `what a failed value has written is forgotten, wherever it failed`() throws {
        // The order of a dictionary's members differs, so that some have written much.
        for number in 0..<50 {
            let value = ["a": [Continuing(number: number)], "b": []]
            #expect(try encoded(value) == #"{"a":[{"own":1}],"b":[]}"#)
            #expect(
                try encoded(["k": Continuing(number: number)]) == #"{"k":{"own":1}}"#)
        }
    }

    @Test func `errors of the user's own code get a path too`() {
        #expect(
            encodingError(Holder(list: [Foreign()]))
                == JSONEncodingError(path: "$.list[0]", message: "Refused()"))
        #expect(encodingError(Foreign()) == JSONEncodingError(path: "$", message: "Refused()"))
        #expect(encodingError(["x": InNested()])?.path == "$.x.list[1]")
        #expect(encodingError(["x": NestedNumber()])?.path == "$.x.list[0].b")
    }

    struct Throwing: Encodable {
        var own: Bool

        func encode(to encoder: any Encoder) throws {
            if own { throw JSONEncodingError(path: "$.mine", message: "m") }
            throw EncodingError.invalidValue(
                1, .init(codingPath: encoder.codingPath, debugDescription: "said so"))
        }
    }

    @Test func `any EncodingError is converted`() {
        #expect(
            encodingError([Throwing(own: false)])
                == JSONEncodingError(path: "$[0]", message: "said so"))
        let own = encodingError([Throwing(own: true)])
        #expect(own == JSONEncodingError(path: "$.mine", message: "m"))
        #expect(own?.description == "m (at $.mine)")
    }

    struct Careful: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: ContainerTests.Key.self)
            #expect(throws: EncodingError.self) {
                try container.encode(Double.nan, forKey: .a)
            }
            #expect(throws: EncodingError.self) {
                try container.encode(["x": [1, Double.nan]], forKey: .a)
            }
            try container.encode(1, forKey: .b)
            #expect(throws: EncodingError.self) { try container.encode(Int.max, forKey: .c) }
            #expect(throws: EncodingError.self) {
                try container.encode([InNestedNumber()], forKey: .c)
            }
            var list = container.nestedUnkeyedContainer(forKey: .list)
            #expect(throws: EncodingError.self) { try list.encode(Float.nan) }
            try list.encode(2)
            #expect(throws: EncodingError.self) { try list.encode(JSONValue.integer(.max)) }
            try list.encode(Half())
        }
    }

    struct InNestedNumber: Encodable {
        func encode(to encoder: any Encoder) throws { try NestedNumber().encode(to: encoder) }
    }

    struct Half: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            do { try container.encode(Double.nan) } catch { try container.encode("none") }
        }
    }

    @Test func `code may catch an error, and nothing of the value is left`() throws {
        #expect(try encoded(["x": Careful()]) == #"{"x":{"b":1,"list":[2,"none"]}}"#)
    }

    @Test func `a set of which one element fails is refused as a whole`() {
        #expect(encodingError(Set([1.5, .infinity]))?.message.contains("inf") == true)
    }

    struct Misuse: Encodable {
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private static let misuses: [@Sendable (any Encoder) throws -> Void] = [
        { encoder in  // Two values where one belongs.
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        },
        { encoder in  // Two forms of one value.
            var container = encoder.unkeyedContainer()
            try container.encode(1)
            _ = encoder.container(keyedBy: ContainerTests.Key.self)
        },
        { encoder in
            _ = encoder.container(keyedBy: ContainerTests.Key.self)
            _ = encoder.unkeyedContainer()
        },
        { encoder in
            _ = encoder.container(keyedBy: ContainerTests.Key.self)
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        },
        { encoder in  // The same member twice.
            var container = encoder.container(keyedBy: ContainerTests.Key.self)
            try container.encode(1, forKey: .a)
            try container.encode([2], forKey: .a)
        },
        { encoder in
            var container = encoder.container(keyedBy: ContainerTests.Key.self)
            try container.encode(1, forKey: .a)
            _ = container.nestedUnkeyedContainer(forKey: .a)
        },
    ]

    @Test(arguments: misuses.indices)
    func `coding that would make no JSON is refused`(index: Int) {
        let misuse = Misuse(body: Self.misuses[index])
        #expect(encodingError(misuse) != nil)
        #expect(encodingError(["x": [misuse]]) != nil)
    }

    @Test func `many members of alike names are no repetition`() throws {
        struct Wide: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: AnyKey.self)
                for number in 0..<500 { try container.encode(number, forKey: AnyKey("k\(number)")) }
            }
        }
        let text = try encoded(Wide())
        #expect(try JSONValue(parsing: Array(text.utf8)).object?.count == 500)
    }
}

/// A key with any name.
struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
