import OrderedJSON
import Testing

/// Messages for a value that can't be decoded.
@Suite struct DecodingErrorTests {
    struct Item: Codable {
        var sku: String
        var count: UInt8
    }

    struct Order: Codable {
        var items: [Item]
        var tags: [String: Double]
        var paid: Bool?
    }

    @Test(arguments: [
        (
            #"{"items":[{"sku":"a","count":1},{"sku":5,"count":1}],"tags":{}}"#, "$.items[1].sku",
            "expected a string, found a number"
        ),
        (
            #"{"items":[{"sku":"a","count":256}],"tags":{}}"#, "$.items[0].count",
            "expected an integer from 0 to 255, found one outside of that range"
        ),
        (
            #"{"items":[{"sku":"a","count":-1}],"tags":{}}"#, "$.items[0].count",
            "expected an integer from 0 to 255, found one outside of that range"
        ),
        (
            #"{"items":[{"sku":"a","count":5.0}],"tags":{}}"#, "$.items[0].count",
            "expected an integer from 0 to 255, "
                + "found a number with a fraction, an exponent or too many digits"
        ),
        (
            #"{"items":[{"sku":"a","count":true}],"tags":{}}"#, "$.items[0].count",
            "expected an integer from 0 to 255, found a bool"
        ),
        (
            #"{"items":[{"sku":"a"}],"tags":{}}"#, "$.items[0].count",
            "the member \"count\" is missing"
        ),
        (#"{"items":{},"tags":{}}"#, "$.items", "expected an array, found an object"),
        (#"{"items":[],"tags":[]}"#, "$.tags", "expected an object, found an array"),
        (
            #"{"items":[],"tags":{"a b":"1"}}"#, #"$.tags["a b"]"#,
            "expected a number, found a string"
        ),
        (#"{"items":[],"tags":{},"paid":0}"#, "$.paid", "expected true or false, found a number"),
        (#"{"tags":{}}"#, "$.items", "the member \"items\" is missing"),
        (#"{"items":null,"tags":{}}"#, "$.items", "expected an array, found null"),
        (#"{"items":[null],"tags":{}}"#, "$.items[0]", "expected an object, found null"),
        ("[]", "$", "expected an object, found an array"),
    ])
    func `an error has a path, the expected and the found value`(
        text: String, path: String, message: String
    ) throws {
        let error = try decodingError(Order.self, text)
        #expect(error?.path == path)
        #expect(error?.message == message)
        #expect(error?.description == "\(message) (at \(path))")
    }

    @Test func `the error of each integer type has its range`() throws {
        func range<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> String? {
            try decodingError(type, "1e3")?.expected
        }
        #expect(try range(Int8.self) == "an integer from -128 to 127")
        #expect(try range(Int16.self) == "an integer from -32768 to 32767")
        #expect(try range(Int32.self) == "an integer from -2147483648 to 2147483647")
        for wide in [try range(Int.self), try range(Int64.self), try range(Int128.self)] {
            #expect(wide == "an integer from -9007199254740991 to 9007199254740991")
        }
        #expect(try range(UInt8.self) == "an integer from 0 to 255")
        #expect(try range(UInt16.self) == "an integer from 0 to 65535")
        #expect(try range(UInt32.self) == "an integer from 0 to 4294967295")
        for wide in [try range(UInt.self), try range(UInt64.self), try range(UInt128.self)] {
            #expect(wide == "an integer from 0 to 9007199254740991")
        }
    }

    @Test(arguments: ["true", "\"5\"", "5.0", "5e0", "null", "[5]", "9007199254740992"])
    func `nothing but an integer is one`(text: String) throws {
        #expect(try decodingError(Int.self, text)?.path == "$")
        #expect(try decodingError([Int].self, "[\(text)]")?.path == "$[0]")
    }

    @Test func `a double beyond Float is an error`() throws {
        #expect(
            try decodingError(Float.self, "1e39")?.expected == "a number within the range of Float")
        #expect(try decodingError(Float.self, "\"1\"")?.expected == "a number")
        #expect(try decoded(Float.self, "1e-60") == 0)
    }

    struct Three: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            for _ in 0..<3 { _ = try container.decode(Int.self) }
        }
    }

    @Test func `an array that is too short is faulted at the first missing element`() throws {
        let error = try decodingError([Three].self, "[[1,2]]")
        #expect(error?.path == "$[0][2]")
        #expect(error?.message == "the array has only 2 elements")
        #expect(error?.expected?.hasPrefix("an integer") == true)
    }

    struct Positive: Decodable, Equatable {
        struct TooSmall: Error {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number = try container.decode(Int.self)
            if number == 0 { throw TooSmall() }
            guard number > 0 else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "must be positive")
            }
        }
    }

    @Test func `errors of the user's own code get a path too`() throws {
        let ours = try decodingError([String: [Positive]].self, #"{"a":[1,-1]}"#)
        #expect(ours == JSONDecodingError(path: "$.a[1]", message: "must be positive"))
        let foreign = try decodingError([String: [Positive]].self, #"{"a":[1,0]}"#)
        #expect(foreign == JSONDecodingError(path: "$.a[1]", message: "TooSmall()"))
    }

    struct Tolerant: Decodable {
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ContainerTests.Key.self)
            _ = try? container.decode(Positive.self, forKey: .a)
            _ = try container.decode(Positive.self, forKey: .b)
        }
    }

    @Test func `the path is of the error that came out, not of one that was caught`() throws {
        #expect(try decodingError(Tolerant.self, #"{"a":0,"b":0}"#)?.path == "$.b")
        #expect(try decodingError(Tolerant.self, #"{"a":0,"b":-1}"#)?.path == "$.b")
        #expect(throws: Never.self) { try decoded(Tolerant.self, #"{"a":0,"b":1}"#) }
    }

    struct Throwing: Decodable {
        let error: any Error

        init(from decoder: any Decoder) throws {
            let path = decoder.codingPath
            let name = try decoder.singleValueContainer().decode(String.self)
            let context = DecodingError.Context(codingPath: path, debugDescription: "said so")
            switch name {
            case "mismatch": throw DecodingError.typeMismatch(Bool.self, context)
            case "value": throw DecodingError.valueNotFound(UInt8.self, context)
            case "key": throw DecodingError.keyNotFound(ContainerTests.Key.a, context)
            case "ours": throw JSONDecodingError(path: "$.mine", message: "m", expected: "e")
            default: throw DecodingError.dataCorrupted(context)
            }
        }
    }

    @Test(
        arguments: [
            ("mismatch", "$.x", "true or false"), ("value", "$.x", "an integer from 0 to 255"),
            ("key", "$.x.a", nil), ("data", "$.x", nil), ("ours", "$.mine", "e"),
        ] as [(String, String, String?)])
    func `any DecodingError is converted`(name: String, path: String, expected: String?) throws {
        let error = try decodingError([String: Throwing].self, "{\"x\":\"\(name)\"}")
        #expect(error?.path == path)
        #expect(error?.expected == expected)
    }

    struct Catching: Decodable {
        var kinds: [String] = []

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ContainerTests.Key.self)
            for key in [ContainerTests.Key.a, .b, .c] {
                do {
                    _ = try container.decode(Int.self, forKey: key)
                } catch DecodingError.typeMismatch {
                    kinds.append("mismatch")
                } catch DecodingError.valueNotFound {
                    kinds.append("null")
                } catch DecodingError.keyNotFound(let key, _) {
                    kinds.append("no \(key.stringValue)")
                }
            }
        }
    }

    @Test func `the user's code meets Swift's own errors`() throws {
        let catching = try decoded(Catching.self, #"{"a":"x","b":null}"#)
        #expect(catching.kinds == ["mismatch", "null", "no c"])
    }
}
